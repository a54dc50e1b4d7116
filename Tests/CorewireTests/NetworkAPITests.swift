import Corewire
import Foundation
import Support
import Testing

@Suite("Requests through the Swift API")
struct NetworkAPITests {
    private struct Echo: Decodable {
        var method: String
        var path: String
    }

    private static let sections = "network: { timeout: 20s }\nbackends: {}\n"

    @Test("a request is sent as over the socket, and its response is read whole or as a stream")
    func answers() async throws {
        let program = try await EmbeddedProgram(sections: Self.sections)
        let network = program.corewire.network
        let echo = try await network.get(Echo.self, from: "echo/a%20b?c=1")
        #expect(echo.method == "GET" && echo.path.hasSuffix("/echo/a%20b"))
        var request = Corewire.Network.Request("POST", to: "/echo")
        (request.fields, request.body) = ([(name: "X-One", value: "1")], Array("hello".utf8))
        let answer = try await network.send(request)
        #expect(answer.status == 200 && answer.attempts == 1 && answer.source == .server)
        #expect(answer["content-type"]?.hasPrefix("application/json") == true)
        var text = ""
        for try await bytes in answer.body { text += String(decoding: bytes, as: UTF8.self) }
        #expect(text.contains("hello") && text.contains("X-One"))
        await program.stop()
    }

    @Test("a failed request reports its kind, and the setting that causes it")
    func failures() async throws {
        let program = try await EmbeddedProgram(sections: Self.sections)
        let network = program.corewire.network
        func code(_ work: () async throws(CorewireError) -> Void) async -> CorewireError.Code? {
            do throws(CorewireError) {
                try await work()
                return nil
            } catch { return error.code }
        }
        #expect(
            await code { () throws(CorewireError) in _ = try await network.send(.init(to: "../up")) }
                == .noAddress
        )
        for (retries, timeout) in [(11, nil), (-1, nil), (nil, .milliseconds(99)), (nil, .seconds(3_601))]
            as [(Int?, Duration?)]
        {
            var request = Corewire.Network.Request(to: "echo")
            (request.retries, request.timeout) = (retries, timeout)
            let wrong = request
            #expect(await code { () throws(CorewireError) in _ = try await network.send(wrong) } == .invalid)
        }
        var stored = Corewire.Network.Request(to: "echo")
        stored.offlinePolicy = .returnLocalDataDontLoad
        let wanted = stored
        #expect(await code { () throws(CorewireError) in _ = try await network.send(wanted) } == .notStored)
        #expect(
            await code { () throws(CorewireError) in _ = try await network.get([Int].self, from: "echo") }
                == .malformed
        )
        #expect(
            await code { () throws(CorewireError) in
                _ = try await network.send(.init(to: "echo")).body.collect(upTo: 3)
            } == .tooLarge
        )
        try program.write(sections: "persistence: {}")
        _ = try await program.corewire.reload()
        #expect(
            await code { () throws(CorewireError) in _ = try await network.send(.init(to: "a")) } == .noService
        )
        await program.stop()
        #expect(
            await code { () throws(CorewireError) in _ = try await network.send(.init(to: "a")) } == .stopped
        )
    }
}
