import Foundation
import Support
import Testing
import WireBase
import WireCrypto
import WireSecrets

@Suite("Web Push interoperability")
struct WebPushPeerTests {
    static let peer = Repository.root.appendingPathComponent("Tests/WireCryptoTests/Peers/webpush.py").path
    static let hasPeer = ScriptedServer.hasModules("pywebpush, http_ece")
    static let crypto: any WebPushCrypto = OpenSSLSecrecy()

    static func message(_ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: $0 * 7) } }

    @Test(
        "messages of pywebpush are decrypted, of several records too",
        .enabled(if: hasPeer, "pywebpush is not there")
    )
    func theirs() throws {
        let folder = try TemporaryFolder()
        let keys = try Self.crypto.newKeys()
        let (point, auth) = (Base64URL.text(of: keys.publicKey), Base64URL.text(of: keys.auth.reveal()))
        try folder.write(
            #"{"endpoint":"https://push.example/x","keys":{"p256dh":"\#(point)","auth":"\#(auth)"}}"#,
            to: "subscription.json"
        )
        // By their names, of which some tell the size of a record; 4,079 bytes are the most in one record of 4,096.
        let counts = [
            "one": 1, "most": 4_079, "two": 4_080, "more": 8_158, "three": 8_159, "rs18-least": 40, "rs25-few": 8,
            "rs70000-single": 60_000,
        ]
        for (name, count) in counts { try folder.write(Data(Self.message(count)), to: "\(name).text") }
        let run = try Program.run(ScriptedServer.python, [Self.peer, "encrypt", folder.url.path])
        try #require(run.status == 0, "\(run.errors)")
        for (name, count) in counts {
            let body = try Data(contentsOf: folder.url.appendingPathComponent("\(name).body"))
            #expect(try Self.crypto.decrypt(Array(body), with: keys) == Self.message(count), "\(name)")
        }
    }

    @Test("http_ece decrypts messages of this code", .enabled(if: hasPeer, "http_ece is not there"))
    func ours() throws {
        let folder = try TemporaryFolder()
        let keys = try Self.crypto.newKeys()
        let (number, auth) = (Base64URL.text(of: keys.privateKey.reveal()), Base64URL.text(of: keys.auth.reveal()))
        try folder.write(#"{"private":"\#(number)","auth":"\#(auth)"}"#, to: "keys.json")
        let counts = [0, 1, 3_993, 4_079, 4_080, 60_000]
        for count in counts {
            let body = try Self.crypto.encrypt(Self.message(count), for: keys.publicKey, auth: keys.auth.reveal())
            try folder.write(Data(body), to: "\(count).body")
        }
        let run = try Program.run(ScriptedServer.python, [Self.peer, "decrypt", folder.url.path])
        try #require(run.status == 0, "\(run.errors)")
        for count in counts {
            let text = try Data(contentsOf: folder.url.appendingPathComponent("\(count).text"))
            #expect(Array(text) == Self.message(count))
        }
    }
}
