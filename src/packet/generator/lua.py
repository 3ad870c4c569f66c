"""Wireshark's dissector, in Lua 5.2 to 5.4."""
from expression import Language, names
from model import ATTRIBUTES, NOTE, PACKET_STAGES

LUA_WORDS = {"end", "repeat"}


def table(entries, indent="    "):
    return "{\n" + "".join(f'{indent}[{value}] = "{name}",\n' for name, value in entries) + "}"


def protocol_fields(form):
    """Declarations of Wireshark's fields, one a field of a word."""
    lines = []
    for word in form.words.values():
        for field in word.fields:
            strings = {"kind": "KINDS", "stream": "STREAMS", "operation": "OPERATIONS", "width": "WIDTHS"}.get(field.name)
            about = field.about.replace('"', "'")
            if strings:
                made = f'ProtoField.uint8("isthmus.{field.name}", "{field.name}", base.DEC, {strings}, nil, "{about}")'
            elif field.bits == 1:
                made = f'ProtoField.bool("isthmus.{field.name}", "{field.name}", base.NONE, nil, nil, "{about}")'
            elif field.is_signed:
                made = f'ProtoField.int32("isthmus.{field.name}", "{field.name}", base.DEC, nil, nil, "{about}")'
            else:
                size = 64 if field.bits > 32 else 32
                base = "HEX" if field.name in ("magic", "mac", "received") else "DEC"
                made = f'ProtoField.uint{size}("isthmus.{field.name}", "{field.name}", base.{base}, nil, nil, "{about}")'
            lines.append(f"fields.{field.name} = {made}")
    return "\n".join(lines)


def layouts(form):
    lines = ["local WORDS = {"]
    for word in form.words.values():
        entries = ", ".join(f'{{"{f.name}", {f.low}, {f.bits}, {"true" if f.is_signed else "false"}}}' for f in word.fields)
        lines.append(f"    {word.name} = {{{entries}}},")
    return "\n".join([*lines, "}"])


def kinds(form):
    lines = ["local NO_KIND = {" + ", ".join(f"{name} = 0" for name in ATTRIBUTES) + "}",
             "local KIND_FACTS = {"]
    for kind in form.kinds:
        facts = ", ".join(f"{name} = {value}" for name, value in form.attributes(kind).items() if value)
        lines.append(f"    [{kind['number']}] = {{{facts}}},")
    lines += ["}", "for _, facts in pairs(KIND_FACTS) do setmetatable(facts, {__index = NO_KIND}) end",
              "-- Words of descriptors, by kind; of a range, by kind.", "local DESCRIPTORS = {"]
    for kind in form.kinds:
        if kind.get("descriptor"):
            lines.append(f"    [{kind['number']}] = {{{', '.join(chr(34) + w + chr(34) for w in kind['descriptor'])}}},")
    lines += ["}", "local RANGES = {"]
    for kind in form.kinds:
        if kind.get("ranges"):
            lines.append(f"    [{kind['number']}] = {{{', '.join(chr(34) + w + chr(34) for w in kind['ranges'])}}},")
    return "\n".join([*lines, "}"])


class Checks:
    def __init__(self, form):
        self.form = form
        self.language = Language("and", "or", "not ", "~=", "choose({}, {}, {})", str, self.name, lambda name: name, is_lua=True)

    @staticmethod
    def name(name):
        return f"k.{name[5:]}" if name.startswith("kind_") else f"f.{name}"

    def derive(self, *stages, needed):
        return [f"    f.{e['name']} = {self.language.write(e['value'])}" for e in self.form.derived
                if e["stage"] in stages and e["name"] in needed]

    def test(self, *stages):
        return [f'    if {self.language.write(check["when"])} then return "{check["name"]}" end'
                for check in self.form.stage_checks(*stages)]

    def function(self, name, *stages):
        needed = self.form.needed(*PACKET_STAGES) if stages[0] in PACKET_STAGES else self.form.needed("datagram")
        needed = needed | {"words", "payload_words", "payload_bytes", "argument_words", "packet_words"}
        return "\n".join([f"local function {name}(f, k)", *self.derive(*stages, needed=needed), *self.test(*stages), "end"])

    def sums(self):
        return "\n".join(["local function add_range(f, k)", *[f"    f.{e['name']} = {self.language.write(e['value'])}"
                                                             for e in self.form.sums], "end"])


def write(form):
    checks = Checks(form)
    values = {name: table([(e["name"], e["value"]) for e in form.values[field]["list"]])
              for name, field in (("STREAMS", "stream"), ("OPERATIONS", "operation"), ("WIDTHS", "width"), ("BYES", "bye"))}
    sums = sorted({n for e in form.sums for n in [e["name"], *names(e["value"])] if n.startswith("ranges_")})
    causes = "{\n" + "".join(f'    {c["name"]} = {{{c["number"]}, "{c["action"]}", "{c["about"]}"}},\n'
                             for c in form.checks) + "}"
    return f"""-- {NOTE}
--
-- Wireshark's dissector for the packets of Isthmus: datagrams over UDP, bare packets over TCP.
--     wireshark -X lua_script:isthmus.lua          datagrams are known by their first two bytes
--     tshark -X lua_script:isthmus.lua -d tcp.port==PORT,isthmus_stream -r FILE
-- It says of each packet what a receiver does with it, as far as the bytes alone tell (isthmus.cause).

local datagrams = Proto("isthmus", "Isthmus datagram")
local stream = Proto("isthmus_stream", "Isthmus packets on a stream")

local KINDS = {table([(k["name"], k["number"]) for k in form.kinds])}
local STREAMS = {values["STREAMS"]}
local OPERATIONS = {values["OPERATIONS"]}
local WIDTHS = {values["WIDTHS"]}
local BYES = {values["BYES"]}
-- Number, action and meaning of each cause.
local CAUSES = {causes}
local MAGIC = {form.constants["magic"]["value"]}

local fields = {{}}
{protocol_fields(form)}
fields.cause = ProtoField.string("isthmus.cause", "cause")
fields.action = ProtoField.string("isthmus.action", "action")
fields.packet = ProtoField.none("isthmus.packet", "packet")
fields.words = ProtoField.uint32("isthmus.words", "words")
fields.argument = ProtoField.uint32("isthmus.argument", "argument", base.HEX_DEC)
fields.payload = ProtoField.bytes("isthmus.payload", "payload")
fields.payload_bytes = ProtoField.uint32("isthmus.payload_bytes", "payload bytes")
local illegal = ProtoExpert.new("isthmus.illegal", "Not legal", expert.group.MALFORMED, expert.severity.ERROR)
local list = {{}}
for _, field in pairs(fields) do list[#list + 1] = field end
datagrams.fields = list
datagrams.experts = {{illegal}}

-- ---- layouts: name, lowest bit, bits, sign

{layouts(form)}

{kinds(form)}

-- ---- functions of the table's expressions; numbers are exact up to 2^53

local function power(number) return 2 ^ number end
local function has(mask, number) return math.floor(mask / 2 ^ number) % 2 == 1 end
local function low_bits(value, count) return value % 2 ^ count end
local function choose(condition, one, other) if condition then return one end return other end
local REFUSALS = {{}}
for _, cause in pairs(CAUSES) do
    if cause[2] == "refuse" then REFUSALS[cause[1]] = true end
end
local function is_refusal(number) return REFUSALS[number] == true end

-- ---- checks

{checks.function("check_frame", "frame")}

{checks.function("check_head", "head")}

{checks.sums()}

{checks.function("check_body", "body")}

{checks.function("check_datagram", "datagram")}

-- ---- reading

-- A field of the word at byte `at`. Fields of 64 bits are shown, and not reckoned with.
local function value_of(buffer, at, low, bits, is_signed)
    local value
    if bits == 64 then return buffer(at, 8):le_uint64() end
    if bits > 32 then
        value = buffer(at, 4):le_uint() + 2 ^ 32 * buffer(at + 4, 2):le_uint()
    else
        local half = buffer(at + 4 * math.floor(low / 32), 4):le_uint()
        value = math.floor(half / 2 ^ (low % 32)) % 2 ^ bits
    end
    if is_signed and value >= 2 ^ (bits - 1) then value = value - 2 ^ bits end
    return value
end

-- All fields of a word, into the facts and the tree.
local function read(name, buffer, at, f, tree)
    local word = tree:add(buffer(at, 8), name)
    for _, layout in ipairs(WORDS[name]) do
        local value = value_of(buffer, at, layout[2], layout[3], layout[4])
        f[layout[1]] = value
        local shown = value
        if layout[3] == 1 then shown = value == 1 end
        if layout[3] > 32 and layout[3] < 64 then
            shown = UInt64.new(value % 2 ^ 32, math.floor(value / 2 ^ 32))
        end
        word:add(fields[layout[1]], buffer(at, 8), shown)
    end
end

local function tell(tree, range, cause)
    if cause == nil then
        tree:add(fields.cause, range, "accepted"):set_generated()
        tree:add(fields.action, range, "accept"):set_generated()
        return
    end
    tree:add(fields.cause, range, cause):set_generated()
    tree:add(fields.action, range, CAUSES[cause][2]):set_generated()
    tree:add_proto_expert_info(illegal, cause .. ": " .. CAUSES[cause][3])
end

-- The descriptor, ranges included; false if the bytes end in it.
local function read_descriptor(buffer, at, f, k, tree)
    for _, name in ipairs(DESCRIPTORS[f.kind] or {{}}) do
        read(name, buffer, at, f, tree)
        at = at + 8
    end
    if k.ranges == 1 then
        for _ = 1, f.detail do
            for _, name in ipairs(RANGES[f.kind]) do
                read(name, buffer, at, f, tree)
                at = at + 8
            end
            add_range(f, k)
        end
    end
    return at
end

local function read_rest(buffer, at, f, tree)
    for number = 0, f.arguments - 1 do
        tree:add_le(fields.argument, buffer(at + 4 * number, 4))
    end
    at = at + 8 * f.argument_words
    if f.payload_bytes > 0 then tree:add(fields.payload, buffer(at, f.payload_bytes)) end
    tree:add(fields.payload_bytes, f.payload_bytes):set_generated()
end

-- One packet. Returns its bytes, nil if where the next one begins is not known.
local function read_packet(buffer, tree, info)
    local f = {{available = buffer:len(), kind = 0, fragment = 0, arguments = 0, detail = 0, last_word = 0,
               {", ".join(f"{n} = 0" for n in sums)}, own_offset = 0, reserved_extent = 0, reserved_cover = 0,
               reserved_own_blocks = 0, reserved_own_range = 0, block = 0, count = 0, last_asked = 0,
               last_byte = 0, part_offset = 0, signal_offset = 0}}
    local item = tree:add(fields.packet, buffer())
    if f.available >= 8 then read("route", buffer, 0, f, item) end
    local cause = check_frame(f, NO_KIND)
    if cause then
        tell(item, buffer(), cause)
        return nil
    end
    local bytes = 8 * f.words
    local packet = buffer(0, bytes):tvb()
    item:set_len(bytes)
    item:add(fields.words, f.words):set_generated()
    read("place", packet, 8, f, item)
    read("meaning", packet, 16, f, item)
    -- `detail` as an atomic's.
    f.operation, f.width = f.detail % 16, math.floor(f.detail / 16) % 4
    f.reserved_detail = math.floor(f.detail / 64)
    if f.fragment == 1 and f.words > 3 then read("part", packet, 24, f, item) end
    local k = KIND_FACTS[f.kind] or NO_KIND
    if k.atomic ~= 0 then
        item:add(fields.operation, packet(17, 1), f.operation)
        item:add(fields.width, packet(17, 1), f.width)
        item:add(fields.reserved_detail, packet(17, 1), f.reserved_detail)
    end
    cause = check_head(f, k)
    if not cause then
        local at = read_descriptor(packet, 8 * f.head_words, f, k, item)
        cause = check_body(f, k)
        read_rest(packet, at, f, item)
    end
    tell(item, packet(), cause)
    local name = KINDS[f.kind] or "unknown"
    local text = string.format("%s %d > %d", name, f.source, f.destination)
    if k.detail == 3 and not cause then
        for refusal, about in pairs(CAUSES) do
            if about[1] == f.detail then text = text .. " " .. refusal end
        end
    elseif k.detail == 4 and not cause then
        text = text .. " " .. BYES[f.detail]
    end
    if cause then text = text .. " (" .. cause .. ")" end
    item:append_text(": " .. text)
    info[#info + 1] = text
    return bytes
end

local function read_datagram(buffer, tree, info)
    local f = {{datagram_bytes = buffer:len(), sack_words = 0, timed = 0}}
    if f.datagram_bytes >= 16 then
        read("opening", buffer, 0, f, tree)
        read("numbers", buffer, 8, f, tree)
    end
    local cause = check_datagram(f, NO_KIND)
    tell(tree, buffer(), cause)
    if cause then return end
    local at = 16
    if f.timed == 1 then
        read("times", buffer, at, f, tree)
        at = at + 8
    end
    for _ = 1, f.sack_words do
        read("sack", buffer, at, f, tree)
        at = at + 8
    end
    read("mac", buffer, buffer:len() - 8, f, tree)
    local last = buffer:len() - 8
    while at < last do
        local bytes = read_packet(buffer(at, last - at):tvb(), tree, info)
        if not bytes then return end
        at = at + bytes
    end
end

function datagrams.dissector(buffer, pinfo, tree)
    local info = {{}}
    pinfo.cols.protocol = "Isthmus"
    read_datagram(buffer, tree:add(datagrams, buffer()), info)
    pinfo.cols.info = table.concat(info, ", ")
    return buffer:len()
end

function stream.dissector(buffer, pinfo, tree)
    pinfo.cols.protocol = "Isthmus"
    local info, at = {{}}, 0
    while at < buffer:len() do
        local left = buffer:len() - at
        local words = left >= 8 and math.floor(buffer(at + 4, 4):le_uint() / 2 ^ 20) + 1 or 1
        if left < 24 or left < 8 * words then
            -- The rest of the packet has yet to come.
            pinfo.desegment_offset = at
            pinfo.desegment_len = left < 24 and DESEGMENT_ONE_MORE_SEGMENT or 8 * words - left
            break
        end
        local bytes = read_packet(buffer(at):tvb(), tree:add(stream, buffer(at)), info)
        if not bytes then break end
        at = at + bytes
    end
    pinfo.cols.info = table.concat(info, ", ")
    return buffer:len()
end

datagrams:register_heuristic("udp", function(buffer, pinfo, tree)
    if buffer:len() < 24 or buffer(0, 2):le_uint() ~= MAGIC then return false end
    datagrams.dissector(buffer, pinfo, tree)
    return true
end)
DissectorTable.get("udp.port"):add_for_decode_as(datagrams)
DissectorTable.get("tcp.port"):add_for_decode_as(stream)
"""
