import Testing
import WireSecrets

@testable import WireCrypto

@Suite("The verifier pool")
struct VerifierPoolTests {
    @Test("recently used keys are pooled up to the limit, and each is lent to one caller at a time")
    func keeps() throws {
        let pool = VerifierPool(capacity: 2)
        let uses = try (0..<3).map { _ in
            Verifier.Use(key: try OpenSSLSignatures().makeKey(for: .es256).publicKey, algorithm: .es256)
        }
        for use in uses { pool.giveBack(try Verifier(use)) }
        #expect(pool.count == 2)
        #expect(pool.checkOut(uses[0]) == nil)
        let lent = try #require(pool.checkOut(uses[1]))
        #expect(lent.use == uses[1])
        #expect(pool.checkOut(uses[1]) == nil)
        #expect(pool.count == 1)
        // What comes back was used last, so the other one makes room.
        pool.giveBack(lent)
        pool.giveBack(try Verifier(uses[0]))
        #expect(pool.count == 2)
        #expect(pool.checkOut(uses[2]) == nil)
        #expect(pool.checkOut(uses[1]) === lent)
    }
}
