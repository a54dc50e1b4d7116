import Foundation
import Support
import Testing
import WireBase

@Suite(
    "Responses of brokers to 'corewire push send'",
    .enabled(if: ScriptedServer.hasModules("asyncio")),
    .timeLimit(.minutes(2))
)
struct PushSendBrokerTests {
    /// A broker that answers each packet of a client with the next of its responses.
    ///
    /// `close` ends the connection; after the last response nothing more is sent.
    private struct Broker {
        private static let script = """
            import asyncio, sys

            responses = sys.argv[1:]

            async def serve(reader, writer):
                while data := await reader.read(65536):
                    print("got", data.hex(), flush=True)
                    # DISCONNECT.
                    if data == b"\\xe0\\x00":
                        break
                    response = responses.pop(0) if responses else ""
                    if response == "close":
                        break
                    writer.write(bytes.fromhex(response))
                writer.close()

            async def main():
                server = await asyncio.start_server(serve, "127.0.0.1", 0)
                print("ready", server.sockets[0].getsockname()[1], flush=True)
                await server.serve_forever()

            asyncio.run(main())
            """

        let server: ScriptedServer
        private let folder: TemporaryFolder

        init(_ responses: [String]) async throws {
            folder = try TemporaryFolder()
            try folder.write(Self.script, to: "broker.py")
            server = try await ScriptedServer(folder.url.appendingPathComponent("broker.py"), responses)
        }

        func send(_ options: [String] = []) throws -> Run {
            let url = "mqtt://127.0.0.1:\(server.readyWords[0])"
            return try Program.corewire(["push", "send", "--mqtt", url, "--topic", "a", "Hello"] + options)
        }

        /// What the client has sent first of a kind, in hexadecimal digits.
        func packet(_ beginning: String) -> String? {
            server.all.first { $0.hasPrefix("got \(beginning)") }.map { String($0.dropFirst("got ".count)) }
        }
    }

    /// CONNACK of MQTT 5 and PUBACK, of success.
    private static let (connected, received) = ("2003000000", "40020001")
    private static let perhaps = "the message may have been sent; with the same --id it is shown once"

    @Test(
        "the response to the connection or to the message decides the exit status",
        arguments: [
            (["2003008600"], 77, "the broker does not accept connections without a user name"),
            (["2003008700"], 77, "use --username and --password"), (["2003008900"], 75, "rejected the connection"),
            (["2003008c00"], 77, "use --username and --password"),
            (["2003008a00"], 77, "the broker does not accept connections without a user name"),
            (["2003008300"], 1, "rejected the connection"),
            (["20020001", "20020005"], 77, "use --username and --password"),
            (["20020001", "20020003"], 75, "rejected the connection"),
            ([connected, "4003000187"], 77, "does not allow this sender to write to the topic"),
            ([connected, "4003000197"], 75, "try again later"), ([connected, "4003000183"], 1, "rejected the message"),
            ([connected, "4003000195"], 1, "too long for the broker"),
            ([connected, "e00187"], 77, "does not allow this sender to write to the topic"),
            ([connected, "e00197"], 75, "try again later"), ([connected, "e00195"], 1, "too long for the broker"),
            (["20050000022400"], 1, "not sent: the broker does not acknowledge messages"),
            (["20080000052700000010"], 1, "not sent: the message is too long for the broker"),
        ] as [([String], Int32, String)]
    )
    func responses(responses: [String], status: Int32, message: String) async throws {
        let run = try await Broker(responses).send()
        #expect(run.status == status && run.output.isEmpty, "\(run.everything)")
        #expect(run.errors.contains(message) && !run.errors.contains("may have been sent"), "\(run.everything)")
    }

    @Test(
        "a connection that ends before the message is sent has not sent it; afterwards it may have",
        arguments: [
            (["close"], 75, false), (["ffffffffff"], 1, false), ([received], 1, false),
            ([connected, "close"], 75, true), ([connected, "e0018b"], 75, true), ([connected, "e000"], 75, true),
            ([connected, "90040001" + "0000"], 1, true), ([connected, "ffffffffff"], 1, true),
            // The acknowledgement of another message.
            ([connected, "40020002"], 1, true),
        ] as [([String], Int32, Bool)]
    )
    func lost(responses: [String], status: Int32, mayHaveArrived: Bool) async throws {
        let run = try await Broker(responses).send()
        #expect(run.status == status && run.output.isEmpty, "\(run.everything)")
        #expect(run.errors.hasPrefix(mayHaveArrived ? "error: no response: " : "error: not sent: "), "\(run.errors)")
        #expect(run.errors.contains(Self.perhaps) == mayHaveArrived, "\(run.errors)")
    }

    @Test("a server that is no broker is told so", arguments: ["HTTP/1.1 400 Bad Request", "SSH-2.0-x"])
    func other(greeting: String) async throws {
        let run = try await Broker([Hexadecimal.text(of: Array(greeting.utf8))]).send()
        #expect(run.status == 1, "\(run.everything)")
        #expect(run.errors.contains("did not respond as an MQTT broker"), "\(run.everything)")
    }

    @Test("a broker that does not respond may have the message once that is sent")
    func mute() async throws {
        let brokers = [try await Broker([]), try await Broker([Self.connected])]
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (broker, mayHaveArrived) in zip(brokers, [false, true]) {
                group.addTask {
                    let run = try broker.send()
                    #expect(run.status == 75 && run.output.isEmpty, "\(run.everything)")
                    let beginning = mayHaveArrived ? "error: no response: " : "error: not sent: "
                    #expect(run.errors.hasPrefix(beginning + "the broker did not respond in time"), "\(run.errors)")
                    #expect(run.errors.contains(Self.perhaps) == mayHaveArrived, "\(run.errors)")
                }
            }
            try await group.waitForAll()
        }
    }

    @Test("a message without subscribers is sent, and retained where the broker can")
    func sent() async throws {
        #expect(try await Broker([Self.connected, "4003000110"]).send().status == 0)
        let unable = try await Broker(["20050000022500"]).send(["--retain"])
        #expect(unable.status == 1 && unable.errors.contains("not sent: the broker retains no messages"))
        let able = try await Broker(["20050000022500", Self.received])
        #expect(try able.send().status == 0)
        #expect(able.packet("32") != nil && able.packet("33") == nil, "\(able.server.all)")
    }

    @Test("the texts of a silent message are in its data, where that has no own ones; its id is the given one")
    func silent() async throws {
        func content(_ options: String...) async throws -> String {
            let broker = try await Broker([Self.connected, Self.received])
            #expect(try broker.send(["--silent", "--id", "n-1"] + options).status == 0)
            let packet = try #require(broker.packet("32").flatMap(Hexadecimal.bytes))
            return String(decoding: packet.drop { $0 != UInt8(ascii: "{") }, as: UTF8.self)
        }
        #expect(try await content() == #"{"data":{"body":"Hello"},"messageId":"n-1"}"#)
        let own = try await content("--data", "bed=4", "--data", "body=own")
        #expect(own == #"{"data":{"bed":"4","body":"own"},"messageId":"n-1"}"#)
    }

    @Test("a broker of MQTT 3.1.1 gets the message in that version, but not one with --ttl")
    func older() async throws {
        let older = ["20020001", "20020000", Self.received]
        let broker = try await Broker(older)
        let run = try broker.send()
        #expect(run.status == 0 && run.output == "sent\n", "\(run.everything)")
        #expect(broker.packet("32") != nil, "\(broker.server.all)")
        let other = try await Broker(older)
        let refused = try other.send(["--ttl", "1m"])
        #expect(refused.status == 1 && refused.output.isEmpty, "\(refused.everything)")
        #expect(refused.errors.contains("not sent: the broker does not know MQTT 5, which --ttl requires"))
        #expect(other.packet("32") == nil, "\(other.server.all)")
        let newer = try await Broker([Self.connected, Self.received])
        // In seconds, rounded up.
        #expect(try newer.send(["--ttl", "1500ms"]).status == 0)
        #expect(newer.packet("32")?.contains("0200000002") == true, "\(newer.server.all)")
    }
}
