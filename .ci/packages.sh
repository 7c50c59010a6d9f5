#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Debian packages: they build from the tarball's files, lintian has no complaint, each file of "make
# install" is in one package, and they work in a booted container (tests/packages/boot.sh). The spec
# of the RPM packages names the same files. The packages stay in build/ci/packages.
# shellcheck source=.ci/lib.sh
. "$(dirname -- "$0")/lib.sh"

dir=$ci/packages
version=$(sed -n 's/^AC_INIT(\[dcb-agent\], \[\(.*\)\])$/\1/p' configure.ac)
source=$dir/dcb-agent-$version
installed=$source/debian/tmp # of "make install"

# check NAME COMMAND...: records one result, with the output of the command as its log. Returns 1 if
# the command fails.
check() {
	local name=$1 log=$ci/log/packages-${1//[ \/]/-}.log
	shift
	if "$@" >"$log" 2>&1; then
		result PASS "packages: $name" "$log"
	else
		result FAIL "packages: $name" "$log"
		return 1
	fi
}

# make_source: the files of the tarball. Not the tarball itself, which stage dist makes in the same
# build tree at the same time.
make_source() {
	rm -rf "$dir"
	mkdir -p "$dir" "$ci/log"
	configure_in "$build" CFLAGS="-O2 -g"
	make -s -C "$build" distdir distdir="$source" top_distdir="$source"
}

# The unit tests run in other stages; with "nocheck" the packages do not run them again.
build_packages() (
	use_ccache
	cd "$source"
	DEB_BUILD_OPTIONS="nocheck parallel=$jobs" dpkg-buildpackage -us -uc
)

# tests_of_the_build: the target that runs the unit tests, with one of them. It gets the MAKEFLAGS that dh
# has in a build without "nocheck", and cmocka, for which this build is not configured. check_PROGRAMS: those of
# other tests are not built.
tests_of_the_build() (
	use_ccache
	cd "$source" &&
		MAKEFLAGS=w make -f debian/rules override_dh_auto_test unit_tests=tests/unit/lib/test_ring check_PROGRAMS= check_SCRIPTS= \
			am_tests_unit_unit_OBJECTS=tests/unit/lib/test_ring.o CMOCKA_LIBS="$(pkg-config --libs cmocka)" &&
		grep -qx ':test-result: PASS' debian/objects/tests/unit/lib/test_ring.trs
)

# Warnings of dpkg and debhelper, for example of a dependency that is not needed.
no_warnings() { ! grep -E '^(dpkg|dh_)[a-z_-]*: (warning|error)' "$ci/log/packages-build.log"; }

same_version() {
	test "$(dpkg-parsechangelog -S Version -l debian/changelog)" = "$version"
}

run_lintian() {
	lintian --allow-root --info --fail-on error,warning "$dir"/dcb-agent_"$version"_*.changes
}

# sum_of FILE: the checksum of its contents. Packages compress manual pages and longer documents.
sum_of() {
	case $1 in
	*.gz) gzip -dc "$1" ;;
	*) cat "$1" ;;
	esac | sha256sum | cut -c-64
}

# sums DIRECTORY: a line "checksum name" for each file.
sums() {
	find "$1" -type f | while read -r file; do
		printf '%s %s\n' "$(sum_of "$file")" "$(basename "$file" .gz)"
	done
}

unpack_packages() {
	local deb
	rm -rf "$dir/contents"
	mkdir -p "$dir/contents"
	for deb in "$dir"/*_"$version"_*.deb; do
		[[ $deb == *-dbgsym_* ]] || dpkg-deb -x "$deb" "$dir/contents/$(basename "$deb" .deb)"
	done
}

# in_one_package: each file of "make install" but the license, which is in debian/copyright, is in
# exactly one package: with the same path, because programs are stripped, or with the same name and
# contents, because each package has a directory of documents.
in_one_package() {
	local path n bad=0
	unpack_packages
	sums "$dir/contents" >"$dir/contents.txt"
	(cd "$installed" && find . -type f ! -name LICENSE) | sed 's|^\.||' >"$dir/installed.txt"
	[ -s "$dir/installed.txt" ] || return 1
	while read -r path; do
		n=$(compgen -G "$dir/contents/*$path" | wc -l)
		[ "$n" -gt 0 ] || n=$(grep -cxF "$(sum_of "$installed$path") ${path##*/}" "$dir/contents.txt")
		[ "$n" -eq 1 ] || { echo "$path: in $n packages" && bad=1; }
	done <"$dir/installed.txt"
	return $bad
}

# spec_files: the paths of the spec, with the directories of Fedora, which Debian's rpm does not know,
# and any directory of an architecture.
spec_files() {
	rpmspec -P --define '_unitdir /usr/lib/systemd/system' --define '_sysusersdir /usr/lib/sysusers.d' \
		--define '_tmpfilesdir /usr/lib/tmpfiles.d' --define '_docdir /usr/share/doc' \
		--define '_libdir /usr/lib/*' contrib/rpm/dcb-agent.spec |
		sed -n '/^%files/,/^%changelog/ { s/^%config([a-z]*) //; /^\//p }'
}

# packages_in FILE: the names of the packages of debian/control or of the spec.
packages_in() {
	case $1 in
	*/control) sed -n 's/^Package: //p' "$1" ;;
	*) rpmspec -q --qf '%{NAME} %{VERSION}\n' "$1" | sed -n "s/ $version\$//p" | grep -vx dcb-agent ;;
	esac | sort
}

# spec_is_complete: the spec has the packages of Debian, each file of "make install" is in it, and
# nothing else but the files that it makes itself.
spec_is_complete() {
	local path pattern bad=0
	diff <(packages_in debian/control) <(packages_in contrib/rpm/dcb-agent.spec) || bad=1
	(cd "$installed" && find . -type f ! -name LICENSE) | sed 's|^\.||; s|^/lib/|/usr/lib/|
		s|.*/examples/dcb-agent.conf$|/etc/snmp/dcb-agent.conf|' >"$dir/installed.txt"
	printf '%s\n' /etc/dcbd.conf /usr/lib/sysusers.d/dcb-agentx.conf >>"$dir/installed.txt"
	spec_files >"$dir/spec.txt"
	[ -s "$dir/spec.txt" ] || return 1
	while read -r path; do
		while read -r pattern; do
			# shellcheck disable=SC2053 # a pattern
			[[ $path != $pattern && ($pattern != */ || $path != "$pattern"*) ]] || continue 2
		done <"$dir/spec.txt"
		echo "$path: not in the spec" && bad=1
	done <"$dir/installed.txt"
	while read -r pattern; do
		while read -r path; do
			# shellcheck disable=SC2053 # a pattern
			[[ $path != $pattern && ($pattern != */ || $path != "$pattern"*) ]] || continue 2
		done <"$dir/installed.txt"
		echo "$pattern: in the spec, not installed" && bad=1
	done <"$dir/spec.txt"
	return $bad
}

# script FILE: runs a test of the packages, with a result for each of its functions.
script() {
	local log=$dir/${1##*/} rc=0 verdict=FAIL name
	log=${log%.sh}.log
	DCB_BUILDDIR=$build DCB_DEBS=$dir DCB_SRCDIR=$top .ci/timed.sh "$1" >"$log" 2>&1 || rc=$?
	case $rc in 0) verdict=PASS ;; 77) verdict=SKIP ;; esac
	printf ':test-result: %s\n' $verdict >"${log%.log}.trs"
	while IFS=$'\t' read -r verdict name log; do
		result "$verdict" "packages: $name" "$log"
	done < <(read_trs "$dir" "${log%.log}.trs")
}

make_source
if check build build_packages; then
	check "no warnings" no_warnings || true
	check "unit tests of the build" tests_of_the_build || true
	check "version of debian/changelog" same_version || true
	check lintian run_lintian || true
	check "each file in one package" in_one_package || true
	check "RPM spec" spec_is_complete || true
	.ci/guest.sh || say "guest.sh failed: apparmor.sh will fail"
	script tests/packages/apparmor.sh
	script tests/packages/boot.sh
fi
finish
