# shellcheck shell=bash
# SPDX-License-Identifier: BSD-3-Clause
# fat_tree K: prints a scenario: K pods of K/2 edge and K/2 aggregation bridges, K/2 groups of K/2
# core bridges, and a flow of each of the K^3/4 stations to one of another pod.
fat_tree() {
	local k=$1 h=$(($1 / 2)) n=$(($1 ** 3 / 4)) j cable='rate = "10G"; delay = "500ns"; buffer ='
	cat <<-END
		title = "fat tree, $n stations";
		duration = "1ms";
		cnpvs = [ 3 ];
		nodes = ( { name = "edge%d"; kind = "bridge"; count = $((k * h)); },
	END
	for ((j = 0; j < h; j++)); do
		echo "{ name = \"agg$j-%d\"; kind = \"bridge\"; count = $k; },"
		echo "{ name = \"core$j-%d\"; kind = \"bridge\"; count = $h; },"
	done
	cat <<-END
		{ name = "h%d"; kind = "station"; count = $n; } );
		links = ( { ends = [ "h%d", "edge%d" ]; count = $n; divide = [ 1, $h ]; $cable [ "unlimited", "400k" ]; }
	END
	for ((j = 0; j < h; j++)); do
		cat <<-END
			, { ends = [ "edge%d", "agg$j-%d" ]; count = $((k * h)); divide = [ 1, $h ]; $cable "400k"; },
			{ ends = [ "agg$j-%d", "core$j-%d" ]; count = $((k * h)); divide = [ $h, 1 ];
			  modulo = [ 100000, $h ]; $cable "400k"; }
		END
	done
	cat <<-END
		);
		flows = ( { name = "f%d"; from = "h%d"; to = "h%d"; count = $n; offset = [ 0, $((n / 2 + h)) ];
		  modulo = $n; priority = 3; } );
	END
}
