import CYAML
import WireBase
import WireConfig

/// libyaml's parser over one text. It borrows nothing of libyaml beyond one event.
@safe struct YAMLParser: ~Copyable {
    private let parser: UnsafeMutablePointer<yaml_parser_t>
    private let input: UnsafeMutableBufferPointer<UInt8>
    private let source: SourceFile
    private var offsets: ByteOffsets

    init(_ source: SourceFile) {
        self.source = source
        offsets = ByteOffsets(of: source.bytes)
        // libyaml keeps a pointer to the text for as long as it parses, so the text gets an address of its own.
        unsafe input = .allocate(capacity: max(1, source.bytes.count))
        _ = unsafe input.initialize(from: source.bytes)
        unsafe parser = .allocate(capacity: 1)
        let isReady = unsafe yaml_parser_initialize(parser)
        precondition(isReady == 1, "out of memory")
        unsafe yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING)
        unsafe yaml_parser_set_input_string(parser, input.baseAddress, source.bytes.count)
    }

    deinit {
        unsafe yaml_parser_delete(parser)
        unsafe parser.deallocate()
        unsafe input.deallocate()
    }

    mutating func next() throws(Unreadable) -> YAMLEvent {
        var event = unsafe yaml_event_t()
        guard unsafe yaml_parser_parse(parser, &event) == 1 else { throw Unreadable(failure()) }
        defer { unsafe yaml_event_delete(&event) }
        let start = offsets.byte(ofCharacter: unsafe event.start_mark.index)
        let end = max(start, offsets.byte(ofCharacter: unsafe event.end_mark.index))
        let kind: YAMLEvent.Kind =
            switch unsafe event.type {
            case YAML_DOCUMENT_START_EVENT: .documentStart
            case YAML_MAPPING_START_EVENT:
                unsafe .mappingStart(
                    tag: text(event.data.mapping_start.tag),
                    anchor: text(event.data.mapping_start.anchor)
                )
            case YAML_SEQUENCE_START_EVENT:
                unsafe .sequenceStart(
                    tag: text(event.data.sequence_start.tag),
                    anchor: text(event.data.sequence_start.anchor)
                )
            case YAML_MAPPING_END_EVENT, YAML_SEQUENCE_END_EVENT: .collectionEnd
            case YAML_SCALAR_EVENT: unsafe .scalar(scalar(event, at: start..<end))
            case YAML_ALIAS_EVENT: unsafe .alias(text(event.data.alias.anchor) ?? "")
            case YAML_STREAM_END_EVENT: .end
            default: .other
            }
        return YAMLEvent(kind: kind, place: start..<end)
    }

    private func text(_ pointer: UnsafeMutablePointer<yaml_char_t>?) -> String? {
        guard let pointer = unsafe pointer else { return nil }
        return unsafe String(cString: pointer)
    }

    private func scalar(_ event: borrowing yaml_event_t, at place: Range<Int>) -> YAMLScalar {
        let scalar = unsafe event.data.scalar
        let value = unsafe UnsafeBufferPointer(start: scalar.value, count: scalar.length)
        let isPlain = unsafe scalar.style == YAML_PLAIN_SCALAR_STYLE
        let inside = isPlain ? place : place.lowerBound + 1..<max(place.lowerBound + 1, place.upperBound - 1)
        let isVerbatim = unsafe inside.count == value.count && zip(value, input[inside]).allSatisfy { $0 == $1 }
        return unsafe YAMLScalar(
            kind: isPlain ? .plain : .quoted,
            tag: text(scalar.tag),
            anchor: text(scalar.anchor),
            verbatim: isVerbatim ? inside : nil,
            rewritten: isVerbatim ? [] : Array(value)
        )
    }

    private mutating func failure() -> Diagnostic {
        let problem = unsafe parser.pointee.problem.map { unsafe String(cString: $0) } ?? "unknown problem"
        let context = unsafe parser.pointee.context.map { unsafe String(cString: $0) }
        let place = offsets.byte(ofCharacter: unsafe parser.pointee.problem_mark.index)
        let contextPlace = offsets.byte(ofCharacter: unsafe parser.pointee.context_mark.index)
        return YAMLComplaint(problem: problem, context: context, place: place, contextPlace: contextPlace, source: source)
            .diagnostic
    }
}

/// Turns libyaml's positions, which count characters, into bytes; moving from one to the next costs only the distance.
struct ByteOffsets {
    private let bytes: [UInt8]
    private let isASCII: Bool
    private var character = 0
    private var byte = 0

    init(of bytes: [UInt8]) {
        self.bytes = bytes
        isASCII = bytes.allSatisfy { $0 < 0x80 }
    }

    mutating func byte(ofCharacter wanted: Int) -> Int {
        if isASCII { return min(wanted, bytes.count) }
        while character < wanted, byte < bytes.count {
            byte += 1
            while byte < bytes.count, bytes[byte] & 0xc0 == 0x80 { byte += 1 }
            character += 1
        }
        while character > wanted {
            byte -= 1
            while bytes[byte] & 0xc0 == 0x80 { byte -= 1 }
            character -= 1
        }
        return byte
    }
}
