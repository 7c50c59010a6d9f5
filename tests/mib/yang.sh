#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# contrib/yang: the module is that of the rows, and valid with ietf-interfaces (RFC 8343).
set -eu
module=dcb-agent-pfc-headroom.yang
dir=$DCB_SRCDIR/contrib/yang
# Debian: ietf-interfaces is in libyuma-base, ietf-yang-types in libyang2.
interfaces=/usr/share/yuma/nmda-modules/ietf
types=/usr/share/yang/modules/libyang
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
status=0

for tool in yanglint jq; do
	command -v $tool >/dev/null || {
		echo "$tool not found (Debian: libyang2-tools, jq)"
		exit 77
	}
done
ls "$interfaces"/ietf-interfaces@* "$types"/ietf-yang-types@* >/dev/null || {
	echo "ietf-interfaces not found (Debian: libyuma-base)"
	exit 77
}

valid() { # FILE: yanglint also looks for modules in the file's directory
	yanglint -p "$interfaces" -p "$types" "$1" >"$tmp/out" 2>&1 && ! grep -i 'warn\|err' "$tmp/out"
}

mkdir "$tmp/new" "$tmp/bad"
"$dir/gen.sh" "$DCB_BUILDDIR/dcbctl" >"$tmp/new/$module"
diff -u "$dir/$module" "$tmp/new/$module" || {
	echo "FAIL: run contrib/regenerate.sh"
	status=1
}
valid "$tmp/new/$module" || {
	cat "$tmp/out"
	echo "FAIL: the module is not valid"
	status=1
}
# Each object of the tables, also one that is new, is a leaf.
for table in pfc_if pfc_headroom pfc_headroom_term pfc_way pfc_measure; do
	"$DCB_BUILDDIR/dcbctl" -j objects $table | jq -r '.[].object'
done | sort >"$tmp/objects"
sed -n 's/^ *reference ".*, \([A-Za-z0-9]*\)";$/\1/p' "$tmp/new/$module" | grep -v '^dcbPfcHeadroomTerm$' | sort >"$tmp/leaves"
diff "$tmp/objects" "$tmp/leaves" || {
	echo "FAIL: objects without a leaf"
	status=1
}
[ "$(wc -l <"$tmp/leaves")" -ge 96 ] || {
	echo "FAIL: only $(wc -l <"$tmp/leaves") leaves"
	status=1
}
# yanglint finds errors: a type and a path that do not exist.
for error in 's/type boolean;/type bool;/' 's,/if:interfaces/if:interface",/if:interfaces/if:port",'; do
	sed "$error" "$dir/$module" >"$tmp/bad/$module"
	if valid "$tmp/bad/$module"; then
		echo "FAIL: yanglint finds nothing after $error"
		status=1
	fi
done
exit $status
