# SPDX-License-Identifier: BSD-3-Clause
# Groups and compliance statements of SMIv2 modules in the form of
# facts/groups-and-compliance.txt. Net-SNMP's parser does not keep these clauses,
# so this script reads them from the modules' text.

{
	sub(/--.*/, "")
	text = text " " $0
}

# Returns the words of a { list } that begins after token i, separated by blanks. Sets i to
# the closing brace.
function list(    out)
{
	for (i += 2; token[i] != "}"; i++)
		if (token[i] != ",")
			out = out " " token[i]
	return substr(out, 2)
}

# Returns the SYNTAX after token i with its refinement, in the form of the facts.
function syntax(    out)
{
	out = token[++i]
	if (token[i + 1] != "{")
		return out
	for (i++; token[i] != "}"; i++)
		out = out (token[i] == "," ? "," : " " token[i])
	return out " }"
}

END {
	gsub(/"[^"]*"/, " ", text)
	gsub(/::=/, " ::= ", text)
	gsub(/[{},]/, " & ", text)
	n = split(text, token, " ")
	# IMPORTS has the macro names too; there, no STATUS or OBJECTS follows.
	for (i = 2; i <= n; i++) {
		if (token[i] == "OBJECT-GROUP" && token[i + 1] == "OBJECTS") {
			name = token[i++ - 1]
			objects = list()
		} else if (token[i] == "MODULE-COMPLIANCE" && token[i + 1] == "STATUS") {
			name = token[i - 1]
			compliance = name
			body = ""
		} else if (token[i] == "MODULE" && compliance) {
			module = token[i + 1] == "MANDATORY-GROUPS" ? "(this)" : token[++i]
		} else if (token[i] == "MANDATORY-GROUPS") {
			body = body "   module " module " mandatory: " list() "\n"
		} else if (token[i] == "GROUP" && compliance) {
			body = body "   optional group " token[++i] "\n"
		} else if (token[i] == "OBJECT" && compliance) {
			body = body "   object " token[++i]
			if (token[i + 1] == "SYNTAX" && ++i)
				body = body " SYNTAX " syntax()
			if (token[i + 1] == "WRITE-SYNTAX" && ++i)
				body = body " WRITE-SYNTAX " syntax()
			body = body "\n"
		} else if (token[i] == "::=" && objects) {
			printf "group %s ::= { %s } objects: %s\n", name, list(), objects
			objects = ""
		} else if (token[i] == "::=" && compliance) {
			printf "compliance %s ::= { %s }\n%s", compliance, list(), body
			compliance = ""
		}
	}
}
