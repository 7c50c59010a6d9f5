# SPDX-License-Identifier: BSD-3-Clause
# Makes dcb-messages.7 from dcb-messages.7.in and the comments at the calls that write a message:
#   awk -v root=SRCDIR/ -f messages.awk dcb-messages.7.in SOURCE...
# Such a comment is directly above the statement that has the text of the message:
#   /* Message: what it means, and what to do. */
#   /* Message: as "TEXT" */      the explanation of another message, in this file or elsewhere
#   /* Message "TEXT": ... */     for a message that is put together of parts; several can be above
#                                 one statement
#   /* Messages: ... */           for all calls that write a message, up to the next such comment
#                                 or the end of the function
# name(8) and `text` are marked up. A line "@messages PATH..." of dcb-messages.7.in stands for the
# messages of these files and folders; the longest PATH counts. FILE:MODULE: those of the file that
# are logged for this module.
# With -v check=1: no page, but a line for each log_error() and log_warn() without such a comment,
# and for each comment without a text. A call that only passes a text on ("%s") needs none.

BEGIN {
	# Argument that is the format, in functions whose first text is another one.
	argument["log_error"] = argument["log_warn"] = argument["log_info"] = argument["log_debug"] = 2
	argument["log_error_limited"] = argument["log_warn_limited"] = argument["log_info_limited"] = 2
	argument["log_at"] = argument["log_limited_at"] = argument["log_line"] = 3
	argument["log_line_limited"] = 4
	# Calls that a comment "Messages" covers.
	writer = "(^|[^a-z_])(log_(error|warn|plain)(_limited)?|([a-z]+_)?fail(ed|_at)?|(client|mo|provider)_refuse|error|warn|fn)" \
		"\\(|snprintf\\(([a-z]+->)?(err|why|error|text|reason),|fprintf\\(stderr"
	template = ARGV[1]
	for (f = 2; f < ARGC; f++) read_macros(ARGV[f])
	for (f = 2; f < ARGC; f++) read_source(ARGV[f])
	resolve()
	if (check) check_places()
	else write_page()
	close("cat >&2")
	exit bad
}

function name_of(path) {
	return index(path, root) == 1 ? substr(path, length(root) + 1) : path
}

function wrong(where_is, what) {
	bad = 1
	print where_is ": " what | "cat >&2"
}

# Texts that have a name: #define NAME "text".
function read_macros(path, line, name) {
	while ((getline line <path) > 0) {
		if (line !~ /^#define[ \t]+[A-Z][A-Z0-9_]*[ \t]+"/) continue
		name = line
		sub(/^#define[ \t]+/, "", name)
		sub(/[ \t].*/, "", name)
		sub(/^#define[ \t]+[A-Z0-9_]+[ \t]+/, "", line)
		macro[path, name] = line
		if (!((name) in shared)) shared[name] = line
	}
	close(path)
}

# Reads a file line by line. state: "" between, "open" after a line with nothing but the beginning of
# a comment, then "comment", "statement" below it, or "call" for a call without a comment.
function read_source(path, line, number, state, comment, statement, at, rest, covers) {
	while ((getline line <path) > 0) {
		number++
		if (line ~ /^[ \t]*\/\* Message(s?:| ")/ || (state == "open" && line ~ /^[ \t]*\* Message(s?:| ")/)) {
			if (statement_is_due) add_message(path, at, comment, statement)
			state = "comment"
			comment = ""
			covers = ""
			at = number
		} else if (state == "open") {
			state = ""
		}
		if (state == "comment") {
			rest = line
			sub(/[ \t]*\*\/.*/, "", rest)
			sub(/^[ \t]*(\/?\*)?[ \t]*/, "", rest)
			comment = comment (comment == "" || rest == "" ? "" : " ") rest
			if (line !~ /\*\//) continue
			if (sub(/^Messages: /, ": ", comment)) covers = comment
			else sub(/^Message/, "", comment)
			state = "statement"
			statement = ""
			statement_is_due = 1
			continue
		}
		if (line ~ /^[ \t]*\/\*$/) {
			state = "open"
			continue
		}
		if (line ~ /^}/) covers = ""
		if (state == "" && covers != "" && line ~ writer && line !~ /^#|^[ \t]*\/?\*/) {
			state = "statement"
			statement = ""
			comment = covers
			at = number
		}
		if (state == "" && line ~ /(^|[^a-z_])log_(error|warn)(_limited)?\(/ && line !~ /^#|^[ \t]*\/?\*/) {
			state = "call"
			statement = ""
			at = number
		}
		if (state != "statement" && state != "call") continue
		statement = statement line "\n"
		rest = line
		gsub(/"([^"\\]|\\.)*"|'([^'\\]|\\.)*'/, "", rest)
		if (rest !~ /[;{}]/) continue
		if (state == "call") {
			if (check && text_of(path, statement) !~ /^%(\.\*)?s$/)
				wrong(name_of(path) ":" at, "expected a comment that explains the message: man/messages.awk has its form")
		} else if (statement_is_due || text_of(path, statement) != "") {
			add_message(path, at, comment, statement)
		}
		statement_is_due = 0
		state = ""
	}
	close(path)
}

# Adds the message of a comment and of the statement below it.
function add_message(path, at, comment, statement, texts, rest) {
	texts = text_of(path, statement)
	statement_is_due = 0
	if (comment ~ /^ "/) {
		rest = index(comment, "\": ")
		texts = rest > 0 ? substr(comment, 3, rest - 3) : ""
		comment = substr(comment, rest + 1)
	}
	if (texts == "") {
		wrong(name_of(path) ":" at, "expected a text below this comment, or in it: Message \"TEXT\": and its explanation")
		return
	}
	sub(/^: /, "", comment)
	messages++
	place[messages] = name_of(path) ":" at
	file[messages] = name_of(path)
	module[messages] = match(statement, /log_[a-z_]+\([^"]*"[a-z]+"/) ? substr(statement, RSTART, RLENGTH) : ""
	gsub(/^[^"]*"|"$/, "", module[messages])
	text[messages] = texts
	if (comment ~ /^as ".*"$/) {
		same[messages] = substr(comment, 5, length(comment) - 5)
	} else {
		if (comment !~ /[.!)`]$/) wrong(place[messages], "expected a sentence")
		words[messages] = comment
	}
}

# Returns the texts of a statement, one a line: two if one is chosen by "? :".
function text_of(path, s, call, skip, within, depth, out, run, token, chosen) {
	gsub(/\/\*([^*]|\*[^\/])*\*\//, "", s)
	if (match(s, /log_[a-z_]+\(/)) {
		call = substr(s, RSTART, RLENGTH - 1)
		if (call in argument) {
			s = substr(s, RSTART + RLENGTH)
			skip = argument[call] - 1
		}
	}
	if (skip == 0 && match(s, writer)) {
		s = substr(s, RSTART + RLENGTH)
		within = 1
	}
	while (s != "") {
		if (match(s, /^[ \t\n]+/)) {
			s = substr(s, RLENGTH + 1)
			continue
		}
		if (match(s, /^"([^"\\]|\\.)*"/)) token = substr(s, 1, RLENGTH)
		else if (match(s, /^[A-Za-z_][A-Za-z_0-9]*/)) token = substr(s, 1, RLENGTH)
		else if (match(s, /^'([^'\\]|\\.)*'/)) token = "'"
		else {
			RLENGTH = 1
			token = substr(s, 1, 1)
		}
		s = substr(s, RLENGTH + 1)
		if (skip > 0 || within) {
			if (token ~ /^[([]$/) depth++
			else if (token ~ /^[])]$/) depth--
			if (skip > 0 && token == "," && depth == 0) skip--
			if (depth < 0) break
			if (skip > 0 || depth > 0) continue
		}
		if (token ~ /^"/) run = run substr(token, 2, length(token) - 2)
		else if (token ~ /^[A-Z_]/ && named(path, token) != "") run = run named(path, token)
		else if (token ~ /^PRI[a-z]/) run = run substr(token, 4, 1)
		else {
			if (run != "") {
				out = out (out == "" ? "" : "\n") readable(run)
				run = ""
				chosen = 1
			}
			if (chosen && token != ":" && token ~ /^[,);}]$/) break
		}
	}
	if (run != "") out = out (out == "" ? "" : "\n") readable(run)
	return out
}

# Returns the text of a macro; "": it is none.
function named(path, name, value, out) {
	value = (path, name) in macro ? macro[path, name] : name in shared ? shared[name] : ""
	while (value != "") {
		if (match(value, /^"([^"\\]|\\.)*"/)) out = out substr(value, 2, RLENGTH - 2)
		else if (match(value, /^PRI[a-z][0-9]+/)) out = out substr(value, 4, 1)
		else if (match(value, /^[A-Z][A-Z0-9_]*/)) out = out named(path, substr(value, 1, RLENGTH))
		else RLENGTH = 1
		value = substr(value, RLENGTH + 1)
	}
	return out
}

# Returns a format as it is printed: without the name of the program in front and the newline,
# with %s for texts, %u for numbers that are not negative.
function readable(s, out) {
	gsub(/\\n/, "", s)
	gsub(/\\"/, "\"", s)
	gsub(/\\\\/, "\\", s)
	sub(/^(dcb-[a-z]+|dcbd|dcbctl|dcbsim): /, "", s)
	while (match(s, /%[-+ #]*[0-9]*(\.[0-9*]+)?(hh|ll|h|l|z|j|t)?[a-zA-Z%]/)) {
		out = out substr(s, 1, RSTART - 1) conversion(substr(s, RSTART, RLENGTH))
		s = substr(s, RSTART + RLENGTH)
	}
	return out s
}

function conversion(c, last) {
	last = substr(c, length(c))
	if (c ~ /^%0/) return c
	return last == "%" ? "%" : last == "i" ? "%d" : last ~ /[efg]/ ? "%s" : "%" last
}

# Finds the explanation of each message that has that of another one.
function resolve(i, n, k, lines, first) {
	for (i = 1; i <= messages; i++) {
		if (!(i in words)) continue
		if (!((words[i]) in first)) first[words[i]] = i
		n = split(text[i], lines, "\n")
		for (k = 1; k <= n; k++) {
			if (!((file[i], lines[k]) in full)) full[file[i], lines[k]] = i
			if (!((lines[k]) in full)) full[lines[k]] = i
			else if (words[full[lines[k]]] != words[i]) several[lines[k]] = 1
		}
	}
	for (i = 1; i <= messages; i++) {
		if (i in words) {
			like[i] = first[words[i]]
		} else if (i in same) {
			if ((file[i], same[i]) in full) like[i] = first[words[full[file[i], same[i]]]]
			else if (same[i] in several) wrong(place[i], "several messages have the text \"" same[i] "\" and other explanations")
			else if (same[i] in full) like[i] = first[words[full[same[i]]]]
			else wrong(place[i], "expected a message that has the explanation: \"" same[i] "\" has none")
		}
	}
}

# Finds the line "@messages" of each file.
function read_places(line, n, i, parts, length_of, best, source) {
	while ((getline line <template) > 0) {
		rows++
		row[rows] = line
		if (line !~ /^@messages /) continue
		n = split(line, parts, /[ \t]+/)
		for (i = 2; i <= n; i++) {
			where[parts[i]] = rows
			unused[parts[i]] = 1
		}
	}
	close(template)
	for (i = 1; i <= messages; i++) {
		length_of = 0
		source = file[i] ":" module[i]
		for (n in where) {
			if (index(source, n) != 1 || length(n) <= length_of) continue
			length_of = length(n)
			section[i] = where[n]
			best = n
		}
		if (length_of == 0) wrong(place[i], "dcb-messages.7.in has no place for it")
		else delete unused[best]
	}
}

function check_places(n) {
	read_places()
	for (n in unused)
		if (n !~ /\/$/) wrong(template, n " has no message")
	print messages + 0 " messages"
	if (messages < 100) bad = 1
}

function write_page(i) {
	read_places()
	for (i = 1; i <= rows; i++) {
		if (row[i] ~ /^@messages /) write_messages(i)
		else print row[i]
	}
}

# Writes the messages of a line "@messages", those with the same explanation together.
function write_messages(at, i, k, n, l, lines, seen) {
	print ".Bl -diag"
	for (i = 1; i <= messages; i++) {
		if (section[i] != at || like[i] == "" || (at, like[i]) in written) continue
		written[at, like[i]] = 1
		for (k = i; k <= messages; k++) {
			if (section[k] != at || like[k] != like[i]) continue
			n = split(text[k], lines, "\n")
			for (l = 1; l <= n; l++) {
				if ((i, lines[l]) in seen) continue
				seen[i, lines[l]] = 1
				print ".It \"" escaped(lines[l]) "\""
			}
		}
		write_words(words[like[i]])
	}
	print ".El"
}

function escaped(s) {
	gsub(/\\/, "\\e", s)
	gsub(/"/, "\\(dq", s)
	return s
}

# Ends the line of text that fill() has begun.
function flush() {
	if (filled != "") print (filled ~ /^[.']/ ? "\\&" : "") filled
	filled = ""
}

# Writes plain words as mdoc: a sentence begins a line.
function write_words(s, n, i, part, before, behind) {
	n = split(s, part, "`")
	for (i = 1; i <= n; i++) {
		if (i % 2 == 0) {
			# Punctuation next to the quotation belongs to its line.
			before = ""
			if (filled ~ /(^| )\($/) {
				before = "("
				sub(/ ?\($/, "", filled)
			}
			behind = ""
			if (i < n && match(part[i + 1], /^[.,;:)]+/)) {
				behind = substr(part[i + 1], 1, RLENGTH)
				part[i + 1] = substr(part[i + 1], RLENGTH + 1)
			}
			flush()
			print (before == "" ? ".Ql " : ".Pq Ql ") "\"" escaped(part[i]) "\"" spaced(before == "" ? behind : substr(behind, 2))
			continue
		}
		fill(part[i])
	}
	flush()
}

# Punctuation as arguments of a macro.
function spaced(s, out, i) {
	for (i = 1; i <= length(s); i++) out = out " " substr(s, i, 1)
	return out
}

# Adds words to the line, and ends it where it is long or the sentence ends.
function fill(s, n, i, w, name, behind) {
	n = split(s, w, " ")
	for (i = 1; i <= n; i++) {
		if (w[i] ~ /^[a-z][a-z_.0-9-]*\([1-8]\)[.,;:)]*$/) {
			name = w[i]
			match(name, /\([1-8]\)/)
			behind = substr(name, RSTART + 3)
			flush()
			print ".Xr " substr(name, 1, RSTART - 1) " " substr(name, RSTART + 1, 1) spaced(behind)
			continue
		}
		if (length(filled) + length(w[i]) > 94) flush()
		filled = filled (filled == "" ? "" : " ") escaped(w[i])
		if (w[i] ~ /[.!?]\)?$/) flush()
	}
}
