import Testing
import WireBase
import WireConfig
import WireHTTP

@testable import WireNetwork

@Suite("Redirects to other hosts")
struct FollowingTests {
    private func next(
        _ status: Int,
        _ location: String = "https://b.example/x",
        from url: String = "https://a.example/y",
        method: WireHTTP.Method = .get,
        hasBody: Bool = false
    ) -> OutgoingRequest? {
        var request = OutgoingRequest(method, url)
        if hasBody { request.body = .bytes([1]) }
        let response = IncomingResponse(
            status: Status(status),
            fields: ["Location": location],
            body: Whole([]),
            url: url
        )
        return Following.request(after: response, of: request)
    }

    @Test("only the five redirect statuses are followed")
    func statuses() {
        #expect((200...399).filter { next($0) != nil } == [301, 302, 303, 307, 308])
    }

    @Test("a redirect from https to http is never followed, from http to https always")
    func schemes() {
        #expect(next(302, "http://b.example/x") == nil)
        #expect(next(302, "https://b.example/x", from: "http://a.example/y")?.url == "https://b.example/x")
        #expect(next(302, "http://b.example/x", from: "http://a.example/y")?.url == "http://b.example/x")
    }

    @Test(
        "the method follows RFC 9110, and no body goes to another host",
        arguments: [
            (301, .post, .get), (302, .post, .get), (303, .post, .get), (307, .post, nil), (308, .post, nil),
            (301, .put, nil), (302, .put, nil), (303, .put, .get),
        ] as [(Int, WireHTTP.Method, WireHTTP.Method?)]
    )
    func methods(status: Int, method: WireHTTP.Method, becomes: WireHTTP.Method?) {
        let request = next(status, method: method, hasBody: true)
        #expect(request?.method == becomes)
        if let body = request?.body, case .none = body { return }
        #expect(request == nil, "a body goes along")
    }

    @Test("HEAD stays HEAD")
    func head() {
        for status in [301, 302, 303, 307, 308] { #expect(next(status, method: .head)?.method == .head) }
    }
}
