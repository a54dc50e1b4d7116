import Foundation
import Support
import Testing
import WireBase
import WireCrypto
import WireSecrets
import WireStore

@Suite("Sealing values")
struct SealerTests {
    static func key(_ byte: UInt8) throws -> SealingKey {
        try SealingKey(Secret([UInt8](repeating: byte, count: SealingKey.size)))
    }

    @Test(
        "a sealed value opens to itself, and differs each time",
        arguments: [0, 1, 15, 16, 17, 4_096, 1 << 16]
    )
    func opens(count: Int) throws {
        let sealer = KeySealer(try Self.key(1))
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
        let sealed = try sealer.seal(bytes, for: "place")
        #expect(sealed.count == count + 1 + 8 + 12 + 16)
        #expect(try sealer.seal(bytes, for: "place") != sealed)
        #expect(try sealer.open(sealed, for: "place") == bytes)
        #expect(sealer.isCurrent(sealed))
    }

    @Test("any changed bit, or another place, is detected")
    func genuine() throws {
        let sealer = KeySealer(try Self.key(1))
        let sealed = try sealer.seal(Array("secret".utf8), for: "place")
        for bit in 0..<(sealed.count * 8) {
            var changed = sealed
            changed[bit / 8] ^= 1 << (bit % 8)
            let failure = #expect(throws: StoreFailure.self) { try sealer.open(changed, for: "place") }
            // The version, the id of the key, and what only the tag can tell.
            let expected: StoreFailure.Kind = bit < 8 ? .newer : bit < 9 * 8 ? .sealed : .corrupt
            #expect(failure?.kind == expected, "bit \(bit)")
        }
        for count in 0..<sealed.count {
            let failure = #expect(throws: StoreFailure.self) {
                try sealer.open(Array(sealed.prefix(count)), for: "place")
            }
            #expect(failure?.kind == .corrupt, "\(count) bytes")
        }
        let failure = #expect(throws: StoreFailure.self) { try sealer.open(sealed, for: "places") }
        #expect(failure?.kind == .corrupt)
    }

    @Test("a former key opens its values, a foreign one does not")
    func keys() throws {
        let former = KeySealer(try Self.key(1))
        let sealed = try former.seal([1], for: "p")
        let present = KeySealer(try Self.key(2), former: [try Self.key(1)])
        #expect(try present.open(sealed, for: "p") == [1])
        #expect(!present.isCurrent(sealed))
        #expect(former.isCurrent(sealed))
        for count in [0, 1, 8, 20] { #expect(!former.isCurrent(Array(sealed.prefix(count)))) }
        let failure = #expect(throws: StoreFailure.self) { try KeySealer(try Self.key(3)).open(sealed, for: "p") }
        #expect(failure?.kind == .sealed)
    }

    @Test("the format is AES-256-GCM, bound to version, key and place")
    func standard() throws {
        let sealer = KeySealer(try Self.key(7))
        let sealed = try sealer.seal(Array("hello".utf8), for: "p")
        let script = """
            import sys; from cryptography.hazmat.primitives.ciphers.aead import AESGCM
            s = bytes.fromhex(sys.argv[1])
            sys.stdout.write(AESGCM(bytes([7]) * 32).decrypt(s[9:21], s[21:], s[:9] + b'p').decode())
            """
        let hex = sealed.map { String(format: "%02x", $0) }.joined()
        let run = try Program.run("/usr/bin/python3", ["-c", script, hex])
        #expect(run.output == "hello", "\(run.errors)")
    }

    @Test("a key has 32 bytes", arguments: [0, 31, 33])
    func size(count: Int) throws {
        #expect(throws: StoreFailure.self) { try SealingKey(Secret([UInt8](repeating: 0, count: count))) }
    }
}

@Suite("Key files")
struct KeyFileTests {
    @Test("the first process creates the key with mode 0600, and all get the same")
    func makes() async throws {
        let folder = try TemporaryFolder()
        let path = folder.url.path
        let sealed = try KeySealer(try KeyFile.key(in: path)).seal([1], for: "p")
        #expect(try KeySealer(try KeyFile.key(in: path)).open(sealed, for: "p") == [1])
        let attributes = try FileManager.default.attributesOfItem(atPath: path + "/store.key")
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        #expect(attributes[.size] as? Int == 32)
        #expect(try FileManager.default.contentsOfDirectory(atPath: path) == ["store.key"])
        let other = try TemporaryFolder()
        let values = try await withThrowingTaskGroup(of: [UInt8].self) { group in
            for _ in 0..<16 {
                group.addTask { try KeySealer(try KeyFile.key(in: other.url.path)).seal([1], for: "p") }
            }
            return try await group.reduce(into: [[UInt8]]()) { $0.append($1) }
        }
        let sealer = KeySealer(try KeyFile.key(in: other.url.path))
        for value in values { #expect(sealer.isCurrent(value)) }
    }

    @Test("a key that others can use, a link, a folder, or one of another size is rejected and unchanged")
    func refuses() throws {
        for (mode, count, kind) in [
            (0o644, 32, StoreFailure.Kind.foreign), (0o620, 32, .foreign), (0o601, 32, .foreign),
            (0o600, 31, .corrupt), (0o600, 33, .corrupt), (0o600, 0, .corrupt),
        ] {
            let folder = try TemporaryFolder()
            try folder.write(Data(repeating: 7, count: count), to: "store.key")
            let path = folder.url.path + "/store.key"
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
            let failure = #expect(throws: StoreFailure.self) { try KeyFile.key(in: folder.url.path) }
            #expect(failure?.kind == kind)
            #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == Data(repeating: 7, count: count))
        }
        let folder = try TemporaryFolder()
        try folder.write(Data(repeating: 7, count: 32), to: "elsewhere")
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: folder.url.path + "/elsewhere")
        let link = folder.url.path + "/store.key"
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "elsewhere")
        let linked = #expect(throws: StoreFailure.self) { try KeyFile.key(in: folder.url.path) }
        #expect(linked?.kind == .foreign)
        try FileManager.default.removeItem(atPath: link)
        try FileManager.default.createDirectory(
            atPath: link,
            withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o700]
        )
        let other = #expect(throws: StoreFailure.self) { try KeyFile.key(in: folder.url.path) }
        #expect(other?.kind == .foreign)
    }
}

@Suite("Digests and random bytes")
struct SecrecyTests {
    @Test("a digest equals that of FIPS 180-4")
    func digest() throws {
        let secrecy = OpenSSLSecrecy()
        #expect(
            try secrecy.digest(Array("abc".utf8)).hexadecimal
                == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        )
        #expect(
            try secrecy.digest([]).hexadecimal == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
        )
        #expect(Digest([1, 2]) == nil)
    }

    @Test("random bytes have the requested count, and differ")
    func random() throws {
        let secrecy = OpenSSLSecrecy()
        #expect(try secrecy.random(0).isEmpty)
        #expect(try secrecy.random(33).count == 33)
        #expect(try secrecy.random(16) != secrecy.random(16))
    }

    @Test("the comparison checks all bytes")
    func equal() {
        #expect(isEqual([], []))
        #expect(isEqual([1, 2], [1, 2]))
        #expect(!isEqual([1, 2], [1, 3]))
        #expect(!isEqual([1, 2], [0, 2]))
        #expect(!isEqual([1], [1, 1]))
    }
}
