-- SPDX-License-Identifier: BSD-3-Clause
--
-- For Wireshark and tshark: congestion notification (IEEE 802.1Q clause 33) with its
-- CN-TAG, EtherType 22-E9, and its congestion notification message (CNM), EtherType
-- 22-E7; the headroom measurement protocol (P802.1Qdt 36.9) with its PDU (HMPDU),
-- EtherType 89-A2; and two TLVs of LLDPDUs, below those of Wireshark's own dissector:
-- the PFC Configuration TLV with a length of 6 (IEEE 802.1Q) or 7 and more (P802.1Qdt), and the
-- PFC Local Delay TLV of P802.1Qdt.
--
--   wireshark -X lua_script:dcb.lua                loads it for one run
--   cp dcb.lua ~/.local/lib/wireshark/plugins/     loads it at every start
--
-- Filters: dcb.cntag.flow_id == 7, dcb.cnm.qntz_fb > 32, dcb.cnm.malformed,
-- dcb.hmpdu.first == 3, dcb.lldp.pfc.rtm == 1, dcb.lldp.pfc_delay.ns > 5000, ...
-- The unit of cnmQOffset and cnmQDelta, and the bits of the encapsulated priority,
-- are choices of dcb-agent: dataplane/core/cnm.h says how certain they are. So are the
-- halves of the octet with the Version and the Subtype of an HMPDU.

local ETHERTYPE_CN_TAG = 0x22e9
local ETHERTYPE_CNM = 0x22e7
local ETHERTYPE_HMPDU = 0x89a2 -- of congestion isolation messages as well
local ETHERTYPE_LLDP = 0x88cc
local tag_types = { [0x8100] = true, [0x88a8] = true, [0x9100] = true, [ETHERTYPE_CN_TAG] = true }
local LENGTH_MAX = 0x5dc -- a type field up to this is a length, and LLC follows
local UNIT_OCTETS = 64 -- of cnmQOffset and cnmQDelta
local PDU_OCTETS = 24 -- without the MSDU
local MSDU_MAX = 64

local ethertypes = DissectorTable.get("ethertype")
local data = Dissector.get("data")
local llc = Dissector.get("llc")

-- Returns the name of the EtherType's dissector in parentheses, to show after the number.
local function ethertype_name(ethertype)
	local dissector = ethertype > LENGTH_MAX and ethertypes:get_dissector(ethertype)

	return dissector and (" (%s)"):format(tostring(dissector)) or ""
end

-- Returns the octets on the wire from the start of tvb on. A Tvb made of a range
-- has captured octets only; the octets not captured are always the end of the frame.
local function octets_on_wire(tvb, pinfo)
	return tvb:len() + pinfo.len - pinfo.caplen
end

-- Dissects the octets after an EtherType. The Tvb ends with the captured octets, so
-- with a short snapshot length the IP dissector reports a wrong length.
local function dissect_payload(ethertype, range, pinfo, root)
	local tvb = range:tvb()

	if ethertype <= LENGTH_MAX then
		llc:call(tvb, pinfo, root)
	elseif ethertypes:try(ethertype, tvb, pinfo, root) == 0 then
		data:call(tvb, pinfo, root)
	end
end

-- --- CN-TAG -------------------------------------------------------------------

local tag = Proto("dcb.cntag", "Congestion Notification Tag")

local tag_field = {
	flow_id = ProtoField.uint16("dcb.cntag.flow_id", "Flow identifier", base.DEC, nil, nil,
		"Has a meaning only for the end station that inserted the tag"),
	ethertype = ProtoField.uint16("dcb.cntag.etype", "Type", base.HEX, nil, nil,
		"EtherType, or length, of the octets after the tag"),
}
tag.fields = tag_field

local tag_malformed = ProtoExpert.new("dcb.cntag.malformed", "frame ends inside a tag",
	expert.group.MALFORMED, expert.severity.ERROR)
local tag_cut = ProtoExpert.new("dcb.cntag.cut", "Frame truncated by the snapshot length",
	expert.group.PROTOCOL, expert.severity.NOTE)
tag.experts = { tag_malformed, tag_cut }

function tag.dissector(tvb, pinfo, root)
	local tree = root:add(tag, tvb(0, math.min(4, tvb:len())))
	local flow_id, ethertype

	pinfo.cols.protocol = "CN-TAG"
	if tvb:len() < 4 then
		pinfo.cols.info = "Truncated"
		tree:add_proto_expert_info(octets_on_wire(tvb, pinfo) < 4 and tag_malformed or tag_cut)
		return tvb:len()
	end
	flow_id, ethertype = tvb(0, 2):uint(), tvb(2, 2):uint()
	pinfo.cols.info = ("Flow %d"):format(flow_id)
	tree:append_text((", flow %d"):format(flow_id))
	tree:add(tag_field.flow_id, tvb(0, 2))
	tree:add(tag_field.ethertype, tvb(2, 2)):append_text(ethertype_name(ethertype))
	if tvb:len() > 4 then
		dissect_payload(ethertype, tvb(4), pinfo, root)
	end
	return tvb:len()
end

-- --- CNM ------------------------------------------------------------------------

local cnm = Proto("dcb.cnm", "Congestion Notification Message")

local cnm_field = {
	version = ProtoField.uint16("dcb.cnm.version", "Version", base.DEC, nil, 0xf000),
	reserved = ProtoField.uint16("dcb.cnm.reserved", "ReservedV", base.HEX, nil, 0x0fc0),
	qntz_fb = ProtoField.uint16("dcb.cnm.qntz_fb", "Quantized feedback", base.DEC, nil, 0x003f,
		"Requested reduction of the rate, 0 to 63"),
	cpid = ProtoField.bytes("dcb.cnm.cpid", "Congestion point identifier", base.COLON),
	qoffset = ProtoField.int16("dcb.cnm.qoffset", "cnmQOffset", base.DEC, nil, nil,
		"Set point minus queue length, in units of 64 octets: negative if the queue is too long"),
	qdelta = ProtoField.int16("dcb.cnm.qdelta", "cnmQDelta", base.DEC, nil, nil,
		"Growth of the queue since the previous sample, in units of 64 octets"),
	encap_priority = ProtoField.uint16("dcb.cnm.encap_priority", "Encapsulated priority", base.DEC,
		nil, 0xe000, "Priority of the sampled frame"),
	encap_da = ProtoField.ether("dcb.cnm.encap_da", "Encapsulated destination address",
		"Destination address of the sampled frame"),
	msdu_len = ProtoField.uint16("dcb.cnm.msdu_len", "Encapsulated MSDU length", base.DEC, nil, nil,
		"Octets of the sampled frame that follow, from its EtherType on: 0 to 64"),
	msdu = ProtoField.bytes("dcb.cnm.msdu", "Encapsulated MSDU", base.NONE),
	msdu_etype = ProtoField.uint16("dcb.cnm.msdu.etype", "Type", base.HEX, nil, nil,
		"EtherType, or length, of the sampled frame"),
	padding = ProtoField.bytes("dcb.cnm.padding", "Padding", base.NONE),
}
cnm.fields = cnm_field

local cnm_malformed = ProtoExpert.new("dcb.cnm.malformed", "Malformed CNM",
	expert.group.MALFORMED, expert.severity.ERROR)
local cnm_cut = ProtoExpert.new("dcb.cnm.cut", "CNM truncated by the snapshot length",
	expert.group.PROTOCOL, expert.severity.NOTE)
local cnm_version = ProtoExpert.new("dcb.cnm.unknown_version", "Unknown version, read as if it were 0",
	expert.group.PROTOCOL, expert.severity.WARN)
cnm.experts = { cnm_malformed, cnm_cut, cnm_version }

-- Off by default: the MSDU has only the first octets of a frame, so its dissector
-- reports it as malformed. If the frame itself is captured too, the TCP dissector
-- reports it as a retransmission.
cnm.prefs.dissect_msdu = Pref.bool("Dissect the encapsulated MSDU", false,
	"The MSDU is only the start of a frame: its dissectors report wrong lengths and TCP retransmissions")

local function add_units(tree, field, range)
	tree:add(field, range):append_text((" (%d octets)"):format(range:int() * UNIT_OCTETS))
end

local function add_fixed(tree, tvb)
	local version = tree:add(cnm_field.version, tvb(0, 2))

	if tvb(0, 1):bitfield(0, 4) ~= 0 then
		version:add_proto_expert_info(cnm_version)
	end
	tree:add(cnm_field.reserved, tvb(0, 2))
	tree:add(cnm_field.qntz_fb, tvb(0, 2))
	tree:add(cnm_field.cpid, tvb(2, 8))
	add_units(tree, cnm_field.qoffset, tvb(10, 2))
	add_units(tree, cnm_field.qdelta, tvb(12, 2))
	tree:add(cnm_field.encap_priority, tvb(14, 2))
	tree:add(cnm_field.encap_da, tvb(16, 6))
	return tree:add(cnm_field.msdu_len, tvb(22, 2))
end

-- Dissects the MSDU below the CNM and restores the addresses of the captured frame. A
-- dissector that fails shows its error in the tree.
local function dissect_msdu(ethertype, range, pinfo, tree)
	local src, dst = pinfo.src, pinfo.dst

	pcall(dissect_payload, ethertype, range, pinfo, tree)
	pinfo.src, pinfo.dst = src, dst
end

local function add_msdu_octets(tree, range, pinfo)
	local item = tree:add(cnm_field.msdu, range)
	local ethertype

	if range:len() < 2 then
		return
	end
	ethertype = range(0, 2):uint()
	item:add(cnm_field.msdu_etype, range(0, 2)):append_text(ethertype_name(ethertype))
	if range:len() > 2 and cnm.prefs.dissect_msdu then
		dissect_msdu(ethertype, range(2), pinfo, item)
	end
end

local function add_msdu(tree, tvb, msdu_len, length_item, pinfo)
	local present = octets_on_wire(tvb, pinfo) - PDU_OCTETS

	if msdu_len > MSDU_MAX then
		length_item:add_proto_expert_info(cnm_malformed, "encapsulated MSDU length above 64")
	elseif msdu_len > present then
		length_item:add_proto_expert_info(cnm_malformed, "CNM ends inside the encapsulated MSDU")
	elseif msdu_len > tvb:len() - PDU_OCTETS then
		length_item:add_proto_expert_info(cnm_cut)
	else
		if msdu_len > 0 then
			add_msdu_octets(tree, tvb(PDU_OCTETS, msdu_len), pinfo)
		end
		if tvb:len() > PDU_OCTETS + msdu_len then
			tree:add(cnm_field.padding, tvb(PDU_OCTETS + msdu_len))
		end
	end
end

local function summary(tvb)
	return ("Feedback %d, queue offset %d, delta %d octets, CP %s"):format(
		tvb(0, 2):bitfield(10, 6), tvb(10, 2):int() * UNIT_OCTETS,
		tvb(12, 2):int() * UNIT_OCTETS, tostring(tvb(2, 8):bytes()))
end

local function add_short(tree, tvb, pinfo)
	if octets_on_wire(tvb, pinfo) < PDU_OCTETS then
		tree:add_proto_expert_info(cnm_malformed, "CNM shorter than its fields")
	else
		tree:add_proto_expert_info(cnm_cut)
	end
end

function cnm.dissector(tvb, pinfo, root)
	local tree = root:add(cnm, tvb(0, tvb:len()))
	local info = "Truncated"

	if tvb:len() < PDU_OCTETS then
		add_short(tree, tvb, pinfo)
	else
		info = summary(tvb)
		add_msdu(tree, tvb, tvb(22, 2):uint(), add_fixed(tree, tvb), pinfo)
	end
	pinfo.cols.protocol = "CNM"
	pinfo.cols.info:clear_fence()
	pinfo.cols.info = info
	return tvb:len()
end

-- --- PFC TLVs of LLDPDUs ----------------------------------------------------------

local lldp = Proto("dcb.lldp", "Data Center Bridging TLVs")

local lldp_field = {
	pfc = ProtoField.bytes("dcb.lldp.pfc", "PFC Configuration TLV", base.NONE),
	willing = ProtoField.bool("dcb.lldp.pfc.willing", "Willing", 8, nil, 0x80),
	mbc = ProtoField.bool("dcb.lldp.pfc.mbc", "MBC: cannot bypass MACsec", 8, nil, 0x40),
	reserved = ProtoField.uint8("dcb.lldp.pfc.reserved", "Reserved", base.HEX, nil, 0x30),
	macsec = ProtoField.bool("dcb.lldp.pfc.macsec", "MACsec cap", 8, nil, 0x20),
	privacy = ProtoField.bool("dcb.lldp.pfc.privacy", "Privacy cap", 8, nil, 0x10),
	cap = ProtoField.uint8("dcb.lldp.pfc.cap", "PFC cap", base.DEC, nil, 0x0f),
	enable = ProtoField.uint8("dcb.lldp.pfc.enable", "PFC Enable", base.HEX, nil, nil,
		"Bit n: PFC for priority n"),
	rtm = ProtoField.bool("dcb.lldp.pfc.rtm", "RTM HDRM: round-trip measurement", 8, nil, 0x80),
	ptp = ProtoField.bool("dcb.lldp.pfc.ptp", "PTP HDRM: link delays", 8, nil, 0x40),
	reserved7 = ProtoField.uint8("dcb.lldp.pfc.reserved7", "Reserved", base.HEX, nil, 0x3f),
	delay = ProtoField.int64("dcb.lldp.pfc_delay", "PFC Local Delay TLV", base.DEC, nil, nil,
		"In units of 2^-16 ns"),
	delay_ns = ProtoField.double("dcb.lldp.pfc_delay.ns", "Nanoseconds",
		"Items g, h and i of 36.8 a) 3)"),
}
lldp.fields = lldp_field

local lldp_malformed = ProtoExpert.new("dcb.lldp.malformed", "Malformed TLV",
	expert.group.MALFORMED, expert.severity.ERROR)
local lldp_negative = ProtoExpert.new("dcb.lldp.negative", "Negative delay",
	expert.group.PROTOCOL, expert.severity.WARN)
lldp.experts = { lldp_malformed, lldp_negative }

-- Adds the PFC Configuration TLV; len is the length of info, which is nil if it is 0.
local function add_pfc(tree, info, len)
	local qdt = len >= 3 -- 802.1AB: octets after the known fields are ignored
	local item

	if len < 2 then
		tree:add_proto_expert_info(lldp_malformed, "PFC Configuration TLV, expected a length of 6 or more")
		return
	end
	item = tree:add(lldp_field.pfc, info)
	item:append_text(qdt and " (P802.1Qdt)" or " (802.1Q)")
	item:add(lldp_field.willing, info(0, 1))
	item:add(lldp_field.mbc, info(0, 1))
	if qdt then
		item:add(lldp_field.macsec, info(0, 1))
		item:add(lldp_field.privacy, info(0, 1))
	else
		item:add(lldp_field.reserved, info(0, 1))
	end
	item:add(lldp_field.cap, info(0, 1))
	item:add(lldp_field.enable, info(1, 1))
	if qdt then
		item:add(lldp_field.rtm, info(2, 1))
		item:add(lldp_field.ptp, info(2, 1))
		item:add(lldp_field.reserved7, info(2, 1))
	end
end

local function add_delay(tree, info, len)
	local item

	if len < 8 then
		tree:add_proto_expert_info(lldp_malformed, "PFC Local Delay TLV, expected a length of 12 or more")
		return
	end
	item = tree:add(lldp_field.delay, info(0, 8))
	item:add(lldp_field.delay_ns, info(0, 8), info(0, 4):int() * 65536 + info(4, 4):uint() / 65536)
	if info(0, 1):bitfield(0, 1) == 1 then
		item:add_proto_expert_info(lldp_negative)
	end
end

-- By subtype, of OUI 00-80-C2.
local lldp_tlvs = { [0x0b] = add_pfc, [0x17] = add_delay }

-- Calls handle(function of lldp_tlvs, octets after the subtype, their number) for each of these
-- TLVs from offset at on. Stops at the end of the captured octets.
local function each_tlv(tvb, at, handle)
	while at + 2 <= tvb:len() do
		local kind, len = tvb(at, 2):bitfield(0, 7), tvb(at, 2):bitfield(7, 9)
		local add

		if kind == 0 or at + 2 + len > tvb:len() then
			return
		end
		if kind == 127 and len >= 4 and tvb(at + 2, 3):uint() == 0x0080c2 then
			add = lldp_tlvs[tvb(at + 5, 1):uint()]
		end
		if add then
			handle(add, len > 4 and tvb(at + 6, len - 4) or nil, len - 4)
		end
		at = at + 2 + len
	end
end

-- Returns the offset of the LLDPDU in an Ethernet frame, also behind tags; nil: there is none.
local function find_lldpdu(tvb)
	local at = 12

	while at + 2 <= tvb:len() do
		local ethertype = tvb(at, 2):uint()

		if ethertype == ETHERTYPE_LLDP then
			return at + 2
		end
		if not tag_types[ethertype] then
			return nil
		end
		at = at + 4
	end
	return nil
end

-- Runs after Wireshark's own dissector, which ends at the first malformed TLV.
function lldp.dissector(tvb, _, root)
	local at = find_lldpdu(tvb)
	local tree

	if at then
		each_tlv(tvb, at, function(add, info, len)
			tree = tree or root:add(lldp, tvb(at))
			add(tree, info, len)
		end)
	end
end

register_postdissector(lldp)
-- --- HMPDU ----------------------------------------------------------------------

local SUBTYPE_HMPDU = 1
local TUPLE_OCTETS = 8
local HMPDU_DESTINATION = "0180C2000001"
local UNUSED, RESPONSE_ZERO, RESPONSE, REQUEST = 0, 1, 2, 3

local hmpdu = Proto("dcb.hmpdu", "Headroom Measurement PDU")

local uses = {
	[UNUSED] = "Unused",
	[RESPONSE_ZERO] = "Response, adjustment 0",
	[RESPONSE] = "Response",
	[REQUEST] = "Request",
}
local paths = {
	[0] = "Neither PFC frames nor data MACsec protected",
	[1] = "Data MACsec protected, PFC frames not",
	[2] = "PFC frames and data MACsec protected",
	[3] = "PFC frames and data in privacy channels",
}
local hmpdu_field = {
	version = ProtoField.uint8("dcb.hmpdu.version", "Version", base.DEC, nil, 0xf0),
	subtype = ProtoField.uint8("dcb.hmpdu.subtype", "Subtype", base.DEC,
		{ [0] = "Congestion isolation", [SUBTYPE_HMPDU] = "Headroom measurement" }, 0x0f),
	first = ProtoField.uint8("dcb.hmpdu.first", "First tuple", base.DEC, uses, 0xc0),
	second = ProtoField.uint8("dcb.hmpdu.second", "Second tuple", base.DEC, uses, 0x30),
	path = ProtoField.uint8("dcb.hmpdu.path", "Path", base.DEC, paths, 0x0c,
		"Interface stack path whose round trip is measured"),
	reserved = ProtoField.uint8("dcb.hmpdu.reserved", "Reserved", base.DEC, nil, 0x03),
	timestamp = ProtoField.uint32("dcb.hmpdu.timestamp", "Request Timestamp", base.DEC, nil, nil,
		"Has a meaning only for the station that sent the request"),
	request_adjustment = ProtoField.int16("dcb.hmpdu.request_adjustment", "Request Adjustment",
		base.DEC, nil, nil, "In pause quanta"),
	response_adjustment = ProtoField.int16("dcb.hmpdu.response_adjustment", "Response Adjustment",
		base.DEC, nil, nil, "In pause quanta"),
	ignored = ProtoField.bytes("dcb.hmpdu.ignored", "Ignored", base.NONE),
	padding = ProtoField.bytes("dcb.hmpdu.padding", "Padding", base.NONE),
}
hmpdu.fields = hmpdu_field

local hmpdu_malformed = ProtoExpert.new("dcb.hmpdu.malformed", "Malformed HMPDU",
	expert.group.MALFORMED, expert.severity.ERROR)
local hmpdu_cut = ProtoExpert.new("dcb.hmpdu.cut", "HMPDU truncated by the snapshot length",
	expert.group.PROTOCOL, expert.severity.NOTE)
local hmpdu_destination = ProtoExpert.new("dcb.hmpdu.dst_address_invalid",
	"destination address is not 01-80-C2-00-00-01", expert.group.PROTOCOL, expert.severity.WARN)
hmpdu.experts = { hmpdu_malformed, hmpdu_cut, hmpdu_destination }

local eth_dst = Field.new("eth.dst")

local function add_hmpdu_short(tree, tvb, pinfo, octets)
	if octets_on_wire(tvb, pinfo) < octets then
		tree:add_proto_expert_info(hmpdu_malformed, "HMPDU shorter than its fields")
	else
		tree:add_proto_expert_info(hmpdu_cut)
	end
end

-- Adds the tuple of 8 octets at the offset. Returns its text for the summary.
local function add_tuple(tree, tvb, offset, name, use)
	local range = tvb(offset, TUPLE_OCTETS)
	local node = tree:add(range, ("%s tuple: %s"):format(name, uses[use]))

	if use == UNUSED then
		node:add(hmpdu_field.ignored, range)
		return nil
	end
	node:add(hmpdu_field.timestamp, range(0, 4))
	node:add(hmpdu_field.request_adjustment, range(4, 2))
	-- A request has no Response Adjustment; that of RESPONSE_ZERO is ignored.
	node:add(use == RESPONSE and hmpdu_field.response_adjustment or hmpdu_field.ignored, range(6, 2))
	return ("%s %d"):format(use == REQUEST and "Request" or "Response", range(0, 4):uint())
end

-- Adds the tuples. An unused second tuple need not be present.
local function add_tuples(tree, tvb, pinfo, format)
	local shown = {}
	local offset = 2

	for i, name in ipairs({ "First", "Second" }) do
		local use = format:bitfield(2 * i - 2, 2)

		if tvb:len() < offset + TUPLE_OCTETS then
			if use ~= UNUSED or i == 1 then
				add_hmpdu_short(tree, tvb, pinfo, offset + TUPLE_OCTETS)
			end
			break
		end
		shown[#shown + 1] = add_tuple(tree, tvb, offset, name, use)
		offset = offset + TUPLE_OCTETS
	end
	if tvb:len() > offset then
		tree:add(hmpdu_field.padding, tvb(offset))
	end
	return #shown > 0 and table.concat(shown, ", ") or "Empty"
end

local function check_hmpdu(tree, tvb, format)
	local first, second = format:bitfield(0, 2), format:bitfield(2, 2)
	local destinations = { eth_dst() }
	local last = destinations[#destinations]

	if first == REQUEST and second == REQUEST then
		tree:add_proto_expert_info(hmpdu_malformed, "two requests")
	elseif first ~= UNUSED and second ~= UNUSED and first ~= REQUEST and second ~= REQUEST then
		tree:add_proto_expert_info(hmpdu_malformed, "two responses")
	end
	if last and last.range:bytes():tohex() ~= HMPDU_DESTINATION then
		tree:add_proto_expert_info(hmpdu_destination)
	end
end

local function add_hmpdu(tree, tvb, pinfo)
	local format

	if tvb:len() < 2 then
		add_hmpdu_short(tree, tvb, pinfo, 2)
		return "Truncated"
	end
	format = tvb(1, 1)
	for _, field in ipairs({ "first", "second", "path", "reserved" }) do
		tree:add(hmpdu_field[field], format)
	end
	check_hmpdu(tree, tvb, format)
	return add_tuples(tree, tvb, pinfo, format)
end

function hmpdu.dissector(tvb, pinfo, root)
	local tree, subtype

	if tvb:len() == 0 then
		return 0
	end
	tree = root:add(hmpdu, tvb(0, tvb:len()))
	subtype = tvb(0, 1):bitfield(4, 4)
	tree:add(hmpdu_field.version, tvb(0, 1))
	tree:add(hmpdu_field.subtype, tvb(0, 1))
	if subtype == SUBTYPE_HMPDU then
		pinfo.cols.protocol = "HMPDU"
		pinfo.cols.info = add_hmpdu(tree, tvb, pinfo)
	else
		pinfo.cols.protocol = "89-A2"
		pinfo.cols.info = ("Subtype %d"):format(subtype)
		if tvb:len() > 1 then
			data:call(tvb(1):tvb(), pinfo, root)
		end
	end
	return tvb:len()
end

ethertypes:add(ETHERTYPE_CN_TAG, tag)
ethertypes:add(ETHERTYPE_CNM, cnm)
ethertypes:add(ETHERTYPE_HMPDU, hmpdu)
