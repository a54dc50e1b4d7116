import Foundation
import Support
import Testing
import WireBase
import WireHTTP

extension ListenerConformance {
    static let messages = [
        Rule("requests on one connection are answered in sequence") { rules in
            try await rules.listening({ head in Exchange(.answer(text(head.target.text))) }) { running in
                let client = try await running.connect()
                for number in 0..<3 {
                    try await client.send(.get("/\(number)"))
                    let answer = try await client.answer()
                    #expect(answer.status == 200)
                    #expect(answer.text == "/\(number)")
                    #expect(answer["Date"] != nil)
                }
                #expect(running.listener.counts.requests == 3)
                #expect(running.listener.counts.openConnections == 1)
            }
        },
        Rule("pipelined requests are answered in order") { rules in
            let answer: @Sendable (Request) -> Exchange = { head in
                guard head.target.segments == ["later"] else { return Exchange(.answer(text(head.target.text))) }
                return Exchange(
                    .collect(upTo: .kibibytes(1)) { request in
                        .later { text("later " + String(decoding: request.body, as: UTF8.self)) }
                    }
                )
            }
            try await rules.listening(answer) { running in
                let client = try await running.connect()
                try await client.send(
                    .get("/1") + "POST /later HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nab" + .get("/2")
                )
                #expect(try await client.answer().text == "/1")
                #expect(try await client.answer().text == "later ab")
                #expect(try await client.answer().text == "/2")
            }
        },
        Rule("responses to HEAD, 204 and 304 have no body, and the connection continues") { rules in
            let answer: @Sendable (Request) -> Exchange = { head in
                switch head.target.segments.first {
                case "204": Exchange(.answer(Response(.noContent)))
                case "304": Exchange(.answer(Response(.notModified, fields: ["ETag": "\"a\""])))
                case "stream":
                    Exchange(.answer(Response(.ok, body: .stream { try await $0.write(Array("stream".utf8)) })))
                default: Exchange(.answer(text("body")))
                }
            }
            try await rules.listening(answer) { running in
                let client = try await running.connect()
                try await client.send("HEAD / HTTP/1.1\r\nHost: x\r\n\r\n")
                let answer = try await client.answer(toHead: true)
                #expect(answer.status == 200)
                #expect(answer["Content-Length"] == "4")
                let streamed = try await running.connect()
                try await streamed.send("HEAD /stream HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
                #expect(try await streamed.answer(toHead: true).status == 200)
                #expect(try await streamed.isEnded())
                for status in [204, 304] {
                    try await client.send(.get("/\(status)"))
                    #expect(try await client.answer().status == status)
                }
                try await client.send(.get("/stream"))
                #expect(try await client.answer().text == "stream")
            }
        },
        Rule("a connection closes on request, and after HTTP/1.0") { rules in
            try await rules.listening({ _ in Exchange(.answer(text("bye"))) }) { running in
                for request in [String.get("/", "Connection: close"), "GET / HTTP/1.0\r\n\r\n"] {
                    let client = try await running.connect()
                    try await client.send(request)
                    #expect(try await client.answer().text == "bye")
                    #expect(try await client.isEnded())
                }
            }
        },
        Rule("a half-closed client still gets its response, now or later") { rules in
            let answer: @Sendable (Request) -> Exchange = { head in
                guard head.target.segments == ["later"] else { return Exchange(.answer(text("now"))) }
                return Exchange(
                    .collect(upTo: .kibibytes(1)) { _ in
                        .later {
                            await Task.yield()
                            return text(Task.isCancelled ? "cancelled" : "later")
                        }
                    }
                )
            }
            try await rules.listening(answer) { running in
                for (target, expected) in [("/now", "now"), ("/later", "later")] {
                    let client = try await running.connect()
                    try await client.send(.get(target))
                    try await client.endSending()
                    var answer = try await client.answer()
                    while answer.status == 100 { answer = try await client.answer() }
                    #expect(answer.text == expected)
                    #expect(try await client.isEnded())
                }
            }
        },
        Rule("the responder gets the caller, the request and its fields") { rules in
            let answer: @Sendable (Request) -> Exchange = { head in
                let isKnown =
                    switch head.caller {
                    case .process(let user, _, let id): user == getuid() && id == getpid()
                    case .address(let address): ["127.0.0.1", "::1"].contains(address)
                    }
                let said = [
                    head.method.name, head.target.segments.joined(separator: "|"), head.query("q") ?? "",
                    head.fields.values(of: "x-a").joined(separator: "|"), "\(isKnown)",
                ]
                return Exchange(.answer(text(said.joined(separator: ";"))))
            }
            try await rules.listening(answer) { running in
                let client = try await running.connect()
                try await client.send(.get("/a%2Fb/%C3%A9?q=1+2", "X-A:  one ", "x-a: two"))
                #expect(try await client.answer().text == "GET;a/b|é;1 2;one|two;true")
            }
        },
        Rule("shared response bytes are sent unchanged each time") { rules in
            let shared = SharedBytes(Array("shared".utf8))
            let answer: @Sendable (Request) -> Exchange = { head in
                Exchange(.answer(Response(.ok, fields: ["X-Target": head.target.text], body: .shared(shared))))
            }
            try await rules.listening(answer) { running in
                let client = try await running.connect()
                for target in ["/a", "/a", "/b", "/a"] {
                    try await client.send(.get(target))
                    let answer = try await client.answer()
                    #expect(answer.text == "shared")
                    #expect(answer["X-Target"] == target)
                }
            }
        },
        Rule("a field value with a line break is never sent") { rules in
            let answer: @Sendable (Request) -> Exchange = { _ in
                Exchange(.answer(Response(.ok, fields: ["X-A": "a\r\nX-Forged: yes"], body: .bytes([]))))
            }
            try await rules.listening(answer) { running in
                let client = try await running.connect()
                try await client.send(.get("/"))
                let answer = try await client.answer()
                #expect(answer["X-Forged"] == nil)
                #expect(answer.status == 500)
            }
        },
    ]
}
