import WireBase
import WireHTTP

/// The API of a HALO server: tokens, content, devices.
struct HaloServer: BuiltInServer {
    /// Whose tokens are believed, and made.
    let issuer: Issuer

    var segments: [String] { ["api"] }

    func signs(at address: String) -> [DoorSign] { [DoorSign(title: "HALO's API", places: ["\(address)/api"])] }

    func exchange(for head: Request) -> Exchange {
        guard head.target.segments == ["api", "oauth", "token"] else {
            return .plainly(.notFound, "there is no such endpoint")
        }
        guard head.method == .post else { return .refused(allowing: [.post]) }
        let tokens = HaloTokens(desk: issuer.commonDesk)
        return Exchange(
            .collect(upTo: .kibibytes(64)) { request in .later { await tokens.answer(request).guarded() } }
        )
    }
}
