# shellcheck shell=bash
# SPDX-License-Identifier: BSD-3-Clause
# Sourced after lldp.sh. Entries of "initial" for nodes that are RBridges.
#
#   node_conf a rbridge 'a*' "initial = ( $(own 256; trunk ab; by ab 512 b ba) );"

# hop NODE IF: its address in an index.
hop() {
	local octet
	for octet in $(mac_of "$1" "$2" | tr : ' '); do printf .%d $((16#$octet)); done
}
# own NICKNAME: the own nickname; the tree has the root 512. It is the first entry.
own() {
	printf '{ object = "dcbTrillNickname"; index = "0"; value = "%s"; },' $1
	printf '{ object = "dcbTrillTreeRoot"; index = "0"; value = "512"; }'
}
trunk() { printf ',{ object = "dcbTrillPortMode"; index = "*"; port = "%s"; value = "trunk"; }' "$@"; } # IF...
by() { # IF NICKNAME NODE IF: a next hop in the tree
	printf ',{ object = "dcbTrillNextHop%s"; index = "*.%s"; port = "%s"; value = "%s"; }' \
		RowStatus $2$(hop $3 $4) $1 createAndGo Tree $2$(hop $3 $4) $1 true
}
neighbor() { # IF NICKNAME NODE IF: a next hop that is not in the tree
	printf ',{ object = "dcbTrillNextHopRowStatus"; index = "*.%s"; port = "%s"; value = "createAndGo"; }' \
		$2$(hop $3 $4) $1
}
