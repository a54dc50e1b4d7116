import Testing
package import WireBase
package import WireHTTP

/// What every framing of WebSockets must do, byte for byte; a test target runs each check with its own.
package struct FramingConformance: Sendable, CustomTestStringConvertible {
    /// The rule.
    package let testDescription: String
    /// Proves it by frames with a limit of 1000 bytes.
    package let check: @Sendable (any WebSocketFrames) throws -> Void

    init(_ rule: String, _ check: @escaping @Sendable (any WebSocketFrames) throws -> Void) {
        testDescription = rule
        self.check = check
    }

    /// The longest text that is taken in every check.
    package static let limit = ByteCount.bytes(1_000)

    package static let all = messages + refusals + strangeCodes + endings + codes
}

/// A frame as a server sends it, however wrong.
func frame(
    _ opcode: UInt8,
    _ payload: [UInt8] = [],
    isLast: Bool = true,
    reserved: UInt8 = 0,
    claiming length: UInt64? = nil,
    mask: [UInt8]? = nil
) -> [UInt8] {
    let count = length ?? UInt64(payload.count)
    var bytes: [UInt8] = [(isLast ? 0x80 : 0) | reserved << 4 | opcode]
    let bit: UInt8 = mask == nil ? 0 : 0x80
    switch count {
    case ..<126: bytes.append(bit | UInt8(count))
    case ..<65_536: bytes += [bit | 126, UInt8(count >> 8), UInt8(count & 0xff)]
    default: bytes += [bit | 127] + (0..<8).map { UInt8(truncatingIfNeeded: count >> (56 - 8 * $0)) }
    }
    bytes += mask ?? []
    return bytes + payload.enumerated().map { $1 ^ (mask?[$0 % 4] ?? 0) }
}

func text(_ text: String) -> [UInt8] { frame(1, Array(text.utf8)) }

/// A frame as the client has sent it, unmasked.
struct SentFrame: Equatable {
    let opcode: UInt8
    let payload: [UInt8]
    let mask: [UInt8]

    /// All frames of some bytes; nil where they are no masked frames.
    static func all(_ bytes: [UInt8]) -> [SentFrame]? {
        var (rest, frames) = (bytes[...], [SentFrame]())
        while let first = rest.popFirst() {
            guard let second = rest.popFirst(), second & 0x80 != 0, first & 0x80 != 0 else { return nil }
            var count = Int(second & 0x7f)
            if count >= 126 {
                let size = count == 126 ? 2 : 8
                count = rest.prefix(size).reduce(0) { $0 << 8 | Int($1) }
                rest = rest.dropFirst(size)
            }
            let mask = Array(rest.prefix(4))
            let payload = rest.dropFirst(4).prefix(count).enumerated().map { $1 ^ mask[$0 % 4] }
            rest = rest.dropFirst(4 + count)
            frames.append(SentFrame(opcode: first & 0xf, payload: payload, mask: mask))
        }
        return frames
    }

    /// The code of a close.
    var code: Int? { opcode == 8 && payload.count >= 2 ? Int(payload[0]) << 8 | Int(payload[1]) : nil }
}

extension WebSocketFrames {
    /// What is to be sent, as frames.
    func sent() throws -> [SentFrame] { try #require(SentFrame.all(takeOutgoing())) }
}
