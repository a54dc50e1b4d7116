import CYAML
import WireBase
import WireConfig

/// libyaml's parser of one text.
///
/// It holds libyaml's last event, and copies only the requested parts.
@safe struct YAMLParser: ~Copyable {
    private let parser: UnsafeMutablePointer<yaml_parser_t>
    private let event: UnsafeMutablePointer<yaml_event_t>
    private let input: UnsafeMutableBufferPointer<UInt8>
    private let source: SourceFile
    private var offsets: ByteOffsets

    init(_ source: SourceFile) {
        self.source = source
        offsets = ByteOffsets(of: source.bytes)
        // libyaml keeps a pointer to the text while it parses, so the text has a fixed address.
        unsafe input = .allocate(capacity: max(1, source.bytes.count))
        _ = unsafe input.initialize(from: source.bytes)
        unsafe event = .allocate(capacity: 1)
        unsafe event.initialize(to: yaml_event_t())
        unsafe parser = .allocate(capacity: 1)
        let isReady = unsafe yaml_parser_initialize(parser)
        precondition(isReady == 1, "out of memory")
        unsafe yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING)
        unsafe yaml_parser_set_input_string(parser, input.baseAddress, source.bytes.count)
    }

    deinit {
        unsafe yaml_event_delete(event)
        unsafe event.deallocate()
        unsafe yaml_parser_delete(parser)
        unsafe parser.deallocate()
        unsafe input.deallocate()
    }

    /// Whether the text is all ASCII.
    var isASCII: Bool { offsets.isASCII }

    /// Advances to the next event; names and texts of the previous one become invalid.
    mutating func next() throws(YAMLDiagnostic) -> YAMLEvent {
        unsafe yaml_event_delete(event)
        guard unsafe yaml_parser_parse(parser, event) == 1 else { throw complaint() }
        let (first, last) = unsafe (event.pointee.start_mark, event.pointee.end_mark)
        let start = offsets.byte(ofCharacter: first.index)
        let end = max(start, offsets.byte(ofCharacter: last.index))
        let hasProperties = hasProperties()
        return YAMLEvent(
            kind: kind(),
            whole: start..<end,
            place: hasProperties ? source.skippingProperties(in: start..<end) : start..<end,
            hasProperties: hasProperties,
            isWide: end - start != last.index - first.index,
            line: first.line,
            column: first.column
        )
    }

    private func kind() -> YAMLEvent.Kind {
        switch unsafe event.pointee.type {
        case YAML_SCALAR_EVENT: .scalar
        case YAML_MAPPING_START_EVENT: .mappingStart
        case YAML_SEQUENCE_START_EVENT: .sequenceStart
        case YAML_MAPPING_END_EVENT, YAML_SEQUENCE_END_EVENT: .collectionEnd
        case YAML_ALIAS_EVENT: .alias
        case YAML_DOCUMENT_START_EVENT: .documentStart
        case YAML_STREAM_END_EVENT: .end
        default: .other
        }
    }

    private func hasProperties() -> Bool {
        switch unsafe event.pointee.type {
        case YAML_SCALAR_EVENT:
            unsafe event.pointee.data.scalar.anchor != nil || event.pointee.data.scalar.tag != nil
        case YAML_MAPPING_START_EVENT:
            unsafe event.pointee.data.mapping_start.anchor != nil || event.pointee.data.mapping_start.tag != nil
        case YAML_SEQUENCE_START_EVENT:
            unsafe event.pointee.data.sequence_start.anchor != nil || event.pointee.data.sequence_start.tag != nil
        default: false
        }
    }

    // MARK: Event

    /// Returns the anchor of the node, or the name of an alias.
    func anchor() -> String? {
        switch unsafe event.pointee.type {
        case YAML_SCALAR_EVENT: unsafe text(event.pointee.data.scalar.anchor)
        case YAML_MAPPING_START_EVENT: unsafe text(event.pointee.data.mapping_start.anchor)
        case YAML_SEQUENCE_START_EVENT: unsafe text(event.pointee.data.sequence_start.anchor)
        case YAML_ALIAS_EVENT: unsafe text(event.pointee.data.alias.anchor)
        default: nil
        }
    }

    /// Returns the tag of the node.
    func tag() -> String? {
        switch unsafe event.pointee.type {
        case YAML_SCALAR_EVENT: unsafe text(event.pointee.data.scalar.tag)
        case YAML_MAPPING_START_EVENT: unsafe text(event.pointee.data.mapping_start.tag)
        case YAML_SEQUENCE_START_EVENT: unsafe text(event.pointee.data.sequence_start.tag)
        default: nil
        }
    }

    private func text(_ pointer: UnsafeMutablePointer<yaml_char_t>?) -> String? {
        guard let pointer = unsafe pointer else { return nil }
        return unsafe String(cString: pointer)
    }

    /// Returns the scalar of the last event at a place.
    func scalar(at place: Range<Int>) -> YAMLScalar {
        let value = unsafe value()
        let isPlain = unsafe event.pointee.data.scalar.style == YAML_PLAIN_SCALAR_STYLE
        let start = place.lowerBound + (isPlain ? 0 : 1)
        let end = place.upperBound - (isPlain ? 0 : 1)
        let isVerbatim = unsafe end - start == value.count && isSame(value, as: start..<end)
        return YAMLScalar(kind: isPlain ? .plain : .quoted, verbatim: isVerbatim ? start..<end : nil)
    }

    /// Returns the text of the last event's scalar, for one that differs from the file.
    func rewritten() -> [UInt8] { unsafe Array(value()) }

    private func value() -> UnsafeRawBufferPointer {
        let scalar = unsafe event.pointee.data.scalar
        return unsafe UnsafeRawBufferPointer(start: scalar.value, count: scalar.length)
    }

    /// Compares eight bytes at a time: most values are short, and nearly all are equal.
    private func isSame(_ value: UnsafeRawBufferPointer, as range: Range<Int>) -> Bool {
        let text = unsafe UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(input)[range])
        var offset = 0
        while offset + 8 <= value.count {
            let (left, right) = unsafe (
                value.loadUnaligned(fromByteOffset: offset, as: UInt64.self),
                text.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            )
            guard left == right else { return false }
            offset += 8
        }
        while offset < value.count {
            guard unsafe value[offset] == text[offset] else { return false }
            offset += 1
        }
        return true
    }

    // MARK: Error

    private mutating func complaint() -> YAMLDiagnostic {
        YAMLDiagnostic(
            problem: unsafe parser.pointee.problem.map { unsafe String(cString: $0) } ?? "unknown problem",
            context: unsafe parser.pointee.context.map { unsafe String(cString: $0) } ?? "",
            place: offsets.byte(ofCharacter: unsafe parser.pointee.problem_mark.index),
            contextPlace: offsets.byte(ofCharacter: unsafe parser.pointee.context_mark.index),
            source: source
        )
    }
}

extension SourceFile {
    /// Returns the node's place without anchor, tag, and the white space and comments after those.
    fileprivate func skippingProperties(in whole: Range<Int>) -> Range<Int> {
        var offset = whole.lowerBound
        while offset < whole.upperBound {
            switch bytes[offset] {
            case UInt8(ascii: "&"):
                offset += 1
                while offset < whole.upperBound, bytes[offset].isOfAnchorName { offset += 1 }
            case UInt8(ascii: "!"):
                while offset < whole.upperBound, !isSpace(offset) { offset += 1 }
            case UInt8(ascii: "#"):
                while offset < whole.upperBound, !isBreak(offset) { offset += 1 }
            case 0x09, 0x20, 0x0a, 0x0d:
                offset += 1
            default:
                return offset..<whole.upperBound
            }
        }
        return min(offset, whole.upperBound)..<whole.upperBound
    }

    private func isBreak(_ offset: Int) -> Bool { bytes[offset] == 0x0a || bytes[offset] == 0x0d }

    private func isSpace(_ offset: Int) -> Bool {
        bytes[offset] == 0x09 || bytes[offset] == 0x20 || isBreak(offset)
    }
}
