import Testing
import WireBase
import WireCrypto

@Suite("Records of encrypted content")
struct RecordCipherTests {
    static func cipher(salt: UInt8 = 1) throws -> RecordCipher {
        try RecordCipher(Secret([UInt8](repeating: 7, count: 32)), salt: [UInt8](repeating: salt, count: 16))
    }

    /// Encrypts texts with their delimiters, a record each.
    static func records(_ texts: [[UInt8]]) throws -> [UInt8] {
        let cipher = try cipher()
        return try texts.enumerated().flatMap { try cipher.seal($0.element, number: UInt64($0.offset)) }
    }

    @Test(
        "records end with their delimiter and zeros",
        arguments: [
            ([[2]], []), ([[2, 0, 0]], []), ([[9, 2]], [9]), ([[0, 0, 2, 0]], [0, 0]), ([[1, 2, 2]], [1, 2]),
            ([[8, 1], [9, 2]], [8, 9]), ([[8, 1], [2]], [8]), ([[1, 0], [2]], []),
            ([[8, 1, 0], [9, 1, 0], [2, 0]], [8, 9]),
        ] as [([[UInt8]], [UInt8])]
    )
    func valid(texts: [[UInt8]], message: [UInt8]) throws {
        let size = texts[0].count + 16
        #expect(try Self.cipher().open(Self.records(texts)[...], of: size) == message)
        if texts.count == 1 { #expect(try Self.cipher().open(Self.records(texts)[...], of: 1 << 32 - 1) == message) }
    }

    @Test(
        "a wrong delimiter is refused",
        arguments: [
            [[]], [[0]], [[0, 0, 0]], [[1]], [[9, 1]], [[3]], [[9, 2, 3]], [[255]], [[8, 2], [9, 2]],
            [[8, 1], [9, 1]],
            [[8, 1], [0, 0]], [[8, 1], []], [[0, 0], [9, 2]], [[8, 3], [9, 2]],
        ] as [[[UInt8]]]
    )
    func invalid(texts: [[UInt8]]) throws {
        #expect(throws: Fault("the message is incomplete, or its padding is not valid")) {
            try Self.cipher().open(Self.records(texts)[...], of: texts[0].count + 16)
        }
    }

    @Test("records that are moved, left out, cut off or of another message are refused")
    func order() throws {
        let texts: [[UInt8]] = [[7, 1], [8, 1], [9, 2]]
        let bytes = try Self.records(texts)
        let parts = (0..<3).map { Array(bytes[($0 * 18)..<($0 * 18 + 18)]) }
        #expect(try Self.cipher().open(bytes[...], of: 18) == [7, 8, 9])
        let others = [
            parts[1] + parts[0] + parts[2], parts[0] + parts[2], parts[1] + parts[2], parts[2], parts[0] + parts[1],
            bytes + [0], bytes + parts[2], Array(bytes.dropLast()), Array(bytes.dropFirst()), [],
        ]
        for other in others {
            #expect(throws: Fault.self) { try Self.cipher().open(other[...], of: 18) }
        }
        #expect(throws: Fault.self) { try Self.cipher(salt: 2).open(bytes[...], of: 18) }
    }

    @Test("the maximum size of a body in the smallest records is decrypted")
    func manyRecords() throws {
        let count = 65_450 / 18
        let message = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
        let texts = message.enumerated().map { [$0.element, RecordCipher.delimiter(isLast: $0.offset == count - 1)] }
        #expect(try Self.cipher().open(Self.records(texts)[...], of: 18) == message)
    }
}
