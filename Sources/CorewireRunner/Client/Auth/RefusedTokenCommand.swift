import CorewireCLI
import WireAuthContract
import WireBase
import WireCrypto
import WireHTTP
import WireSecrets

/// `corewire auth token --refused`: identifies the token by its digest, which needs a library that other commands do
/// not.
enum RefusedTokenCommand {
    static func run(_ invocation: Invocation) async throws -> ExitStatus {
        let showing = try Display(invocation)
        let request = try TokenCommand.request(invocation)
        let client = try RunnerClient(invocation)
        let refused = try HiddenInput.ask("Rejected token: ", upTo: .kibibytes(64))
        let digest = try OpenSSLSecrecy().digest(Array(refused.reveal().utf8))
        let reply = try await client.token(AuthCalls.refused, RefusedToken(digest: digest.bytes, request))
        showing.show(reply.json) { TokenCommand.text(reply.answer) }
        return .success
    }
}
