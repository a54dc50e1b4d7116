import Testing
import WireBase
import WireHTTP

extension ClientConformance {
    /// The same server under another name.
    private static func stranger(_ server: HostileServer) -> String {
        server.base.replacing("127.0.0.1", with: "localhost")
    }

    private static func redirecting(
        _ method: Method,
        _ status: Int,
        to place: String,
        at server: HostileServer,
        _ rule: OutgoingRequest.Redirects
    ) -> OutgoingRequest {
        var request = server.get("/redirect", ["status": "\(status)", "to": place])
        request.method = method
        request.redirects = rule
        request.fields = [
            "Authorization": "Bearer secret", "Cookie": "a=secret", "X-Api-Key": "secret", "Accept": "a/b",
        ]
        return request
    }

    static let redirects: [ClientConformance] = [
        ClientConformance("a redirect is returned, unless redirects are followed") { client, server in
            let answer = try await client.send(redirecting(.get, 302, to: "/echo", at: server, .none))
            #expect(answer.status.code == 302 && answer.fields["Location"] == "/echo")
        },
        ClientConformance("a redirect within a server keeps fields and body") { client, server in
            for status in [301, 302, 303, 307, 308] {
                let answer = try await client.send(
                    redirecting(.get, status, to: "a/../echo?x=1#part", at: server, .sameHost(upTo: 1))
                )
                #expect(answer.url == server.base + "/echo?x=1")
                let seen = try Seen(String(decoding: await answer.body.collect(upTo: .mebibytes(1)), as: UTF8.self))
                #expect(seen.method == "GET" && seen["Authorization"] == "Bearer secret")
            }
        },
        ClientConformance("301, 302 and 303 change POST to GET without a body, 307 and 308 do not") { client, server in
            for status in [301, 302, 303, 307, 308] {
                var request = redirecting(.post, status, to: "/echo", at: server, .sameHost(upTo: 1))
                request.body = .bytes(Array("body".utf8))
                request.fields["Content-Type"] = "text/plain"
                let seen = try Seen(await client.text(request).text)
                #expect(seen.method == (status < 304 ? "GET" : "POST"))
                #expect(seen.body == (status < 304 ? "" : "body"))
                #expect(seen["Content-Type"] == (status < 304 ? nil : "text/plain"))
                request.method = .put
                #expect(try Seen(await client.text(request).text).method == (status == 303 ? "GET" : "PUT"))
            }
        },
        ClientConformance("a redirect to another host drops credentials and body") { client, server in
            let place = stranger(server) + "/echo"
            let seen = try Seen(
                await client.text(redirecting(.get, 302, to: place, at: server, .anywhere(upTo: 1))).text
            )
            #expect(Set(seen.fields.map { $0[0].lowercased() }) == ["host", "accept"], "\(seen.fields)")
            var request = redirecting(.post, 307, to: place, at: server, .anywhere(upTo: 1))
            request.body = .bytes(Array("body".utf8))
            #expect(try await client.send(request).status.code == 307)
            request = redirecting(.post, 303, to: place, at: server, .anywhere(upTo: 1))
            request.body = .bytes(Array("body".utf8))
            #expect(try Seen(await client.text(request).text).length == 0)
        },
        ClientConformance("dropped credentials are not restored by a later redirect") { client, server in
            let back = "/redirect" + HostileServer.query(["to": server.base + "/echo"])
            let there = redirecting(.get, 302, to: stranger(server) + back, at: server, .anywhere(upTo: 2))
            let seen = try Seen(await client.text(there).text)
            #expect(seen["Authorization"] == nil && seen["Host"]?.hasPrefix("127.0.0.1") == true)
        },
        ClientConformance("with sameHost a redirect to another host or port is returned") {
            client,
            server in
            for place in [stranger(server) + "/echo", "http://127.0.0.1:1/", "//localhost/"] {
                let request = redirecting(.get, 302, to: place, at: server, .sameHost(upTo: 5))
                let status = try await client.send(request).status.code
                #expect(status == 302)
            }
        },
        ClientConformance("a redirect never leaves a Unix socket") { client, server in
            var request = redirecting(.get, 302, to: server.base + "/echo", at: server, .anywhere(upTo: 5))
            request.url = "http://localhost" + request.url.dropFirst(server.base.count)
            request.socket = server.socket
            let status = try await client.send(request).status.code
            #expect(status == 302)
        },
        ClientConformance("a body that has been read is not sent again") { client, server in
            var request = redirecting(.post, 307, to: "/echo", at: server, .sameHost(upTo: 5))
            request.body = .stream(length: nil, Parts([Array("body".utf8)]))
            let status = try await client.send(request).status.code
            #expect(status == 307)
        },
        ClientConformance("a loop ends at the limit") { client, server in
            var request = server.get("/loop")
            request.redirects = .anywhere(upTo: 4)
            let failure = try await client.failure(of: request)
            #expect(failure.kind == .tooManyRedirects && !failure.wasNotSent)
            try await server.event("looped 5")
            #expect(try await server.events("looped").count == 5)
        },
        ClientConformance("a redirect to another scheme, or to forbidden plain HTTP, is rejected") { client, server in
            let places: [(String, TransferFailure.Kind)] = [
                ("file:///etc/secret", .protocolError), ("ftp://example.com/secret", .protocolError),
                ("http://u:secret@127.0.0.1/", .protocolError), ("http://example.invalid/secret", .forbidden),
            ]
            for (place, kind) in places {
                let failure = try await client.failure(
                    of: redirecting(.get, 302, to: place, at: server, .anywhere(upTo: 5))
                )
                #expect(failure.kind == kind && !failure.wasNotSent, "\(failure)")
                #expect(!failure.reason.contains("secret"), "\(failure.reason)")
            }
        },
    ]
}
