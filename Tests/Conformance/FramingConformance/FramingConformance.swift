import Testing
package import WireBase
package import WireHTTP

/// A rule for every framing of WebSockets, byte for byte; a test target runs each check with its own.
package struct FramingConformance: Sendable, CustomTestStringConvertible {
    /// The rule.
    package let testDescription: String
    /// The role of the tested end.
    package private(set) var role = WebSocketRole.client
    private let proof: @Sendable (any WebSocketFrames) throws -> Void

    init(_ rule: String, _ check: @escaping @Sendable (any WebSocketFrames) throws -> Void) {
        testDescription = rule
        proof = check
    }

    /// Checks frames of the role with a limit of 1000 bytes.
    package func check(_ frames: any WebSocketFrames) throws {
        try Self.$tested.withValue(role) { try proof(frames) }
    }

    private func holding(for role: WebSocketRole) -> FramingConformance {
        var rule = FramingConformance("\(testDescription) (\(role))", proof)
        rule.role = role
        return rule
    }

    /// The tested end; the rules play the other one.
    @TaskLocal fileprivate static var tested = WebSocketRole.client

    /// The maximum size of a text in every check.
    package static let limit = ByteCount.bytes(1_000)

    package static let all = WebSocketRole.allCases.flatMap { role in
        (messages + refusals + strangeCodes + endings + codes).map { $0.holding(for: role) }
    }
}

/// A frame from the other end, however wrong: masked from a client, unless the mask is meant to be wrong.
func frame(
    _ opcode: UInt8,
    _ payload: [UInt8] = [],
    isLast: Bool = true,
    reserved: UInt8 = 0,
    claiming length: UInt64? = nil,
    isLengthTooWide: Bool = false,
    isMaskedWrongly: Bool = false
) -> [UInt8] {
    let isMasked = (FramingConformance.tested == .server) != isMaskedWrongly
    let mask: [UInt8]? = isMasked ? [9, 0, 200, 77] : nil
    let count = length ?? UInt64(payload.count)
    var bytes: [UInt8] = [(isLast ? 0x80 : 0) | reserved << 4 | opcode]
    let bit: UInt8 = mask == nil ? 0 : 0x80
    switch count {
    case ..<126 where !isLengthTooWide: bytes.append(bit | UInt8(count))
    case ..<65_536: bytes += [bit | 126, UInt8(count >> 8), UInt8(count & 0xff)]
    default: bytes += [bit | 127] + (0..<8).map { UInt8(truncatingIfNeeded: count >> (56 - 8 * $0)) }
    }
    bytes += mask ?? []
    return bytes + payload.enumerated().map { $1 ^ (mask?[$0 % 4] ?? 0) }
}

func text(_ text: String) -> [UInt8] { frame(1, Array(text.utf8)) }

/// A frame from the tested end, unmasked.
struct SentFrame: Equatable {
    let opcode: UInt8
    let payload: [UInt8]
    let mask: [UInt8]

    /// The frames in some bytes; nil where their masks do not fit the role.
    static func all(_ bytes: [UInt8]) -> [SentFrame]? {
        var (rest, frames) = (bytes[...], [SentFrame]())
        let isClient = FramingConformance.tested == .client
        while let first = rest.popFirst() {
            guard let second = rest.popFirst(), (second & 0x80 != 0) == isClient, first & 0x80 != 0 else { return nil }
            var count = Int(second & 0x7f)
            if count >= 126 {
                let size = count == 126 ? 2 : 8
                count = rest.prefix(size).reduce(0) { $0 << 8 | Int($1) }
                rest = rest.dropFirst(size)
            }
            let mask = isClient ? Array(rest.prefix(4)) : []
            let payload = rest.dropFirst(mask.count).prefix(count).enumerated().map {
                $1 ^ (isClient ? mask[$0 % 4] : 0)
            }
            rest = rest.dropFirst(mask.count + count)
            frames.append(SentFrame(opcode: first & 0xf, payload: payload, mask: mask))
        }
        return frames
    }

    /// The code of a close frame.
    var code: Int? { opcode == 8 && payload.count >= 2 ? Int(payload[0]) << 8 | Int(payload[1]) : nil }
}

extension WebSocketFrames {
    /// The frames to send.
    func sent() throws -> [SentFrame] { try #require(SentFrame.all(takeOutgoing())) }
}
