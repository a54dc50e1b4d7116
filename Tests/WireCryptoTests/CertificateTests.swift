import Foundation
import Support
import Testing
import WireCrypto

@Suite("Certificates")
struct CertificateTests {
    @Test("a certificate is parsed like by openssl")
    func read() throws {
        let authority = try Authority()
        _ = try authority.certificate(
            for: "api.example.com",
            in: "one",
            from: "20240229120000Z",
            until: "20491231235959Z"
        )
        let certificate = try Certificate(pem: authority.folder.text(of: "one.crt"))
        #expect(certificate.validFrom == 1_709_208_000)
        #expect(certificate.validUntil == 2_524_607_999)
        #expect(certificate.pin == (try authority.pin(of: "one")))
    }

    @Test(
        "an invalid certificate is rejected",
        arguments: [
            "", "-----BEGIN CERTIFICATE-----", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----",
            "-----BEGIN CERTIFICATE-----\n*\n-----END CERTIFICATE-----",
            "-----BEGIN PRIVATE KEY-----\nMIIB\n-----END PRIVATE KEY-----",
        ]
    )
    func refused(text: String) {
        #expect(throws: (any Error).self) { try Certificate(pem: text) }
    }
}
