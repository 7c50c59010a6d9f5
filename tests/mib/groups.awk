# SPDX-License-Identifier: BSD-3-Clause
# Groups and compliance statements of SMIv2 modules in the form of
# facts/groups-and-compliance.txt. Net-SNMP's parser checks these clauses and
# forgets them, so they are read from the text.

{
	sub(/--.*/, "")
	text = text " " $0
}

# The words of a { list } from token i on, blanks between; i is left at its end.
function list(    out)
{
	for (i += 2; token[i] != "}"; i++)
		if (token[i] != ",")
			out = out " " token[i]
	return substr(out, 2)
}

# A SYNTAX with its refinement, written as in the facts.
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
	# The macro names also stand in IMPORTS, where what follows is no STATUS or OBJECTS.
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
