package import WireBase
import WireHost
package import WireHTTP

/// A stream of server-sent events that resumes after interruptions.
package struct EventFeed {
    private let client: RunnerClient
    private let path: String
    /// The id of the last received event; later ones come next.
    package private(set) var last: String?
    /// Whether the runner has answered once: only then a lost one is waited for.
    private var wasThere: Bool
    /// Throws for an error response.
    private let check: @Sendable (RunnerAnswer) throws -> RunnerAnswer

    /// The stream at a path, with errors of the given kinds or of any operation.
    package init<Kind: FailureKind>(
        _ client: RunnerClient,
        _ path: String,
        failing kinds: Kind.Type,
        after last: String? = nil,
        wasThere: Bool = false
    ) {
        (self.client, self.path, self.last, self.wasThere) = (client, path, last, wasThere)
        check = { answer in try answer.wellDone(kinds) }
    }

    /// The stream that a call returns in place of an answer.
    package init<Input, Answer, Kind>(
        _ client: RunnerClient,
        _ call: APICall<Input, Answer, Kind>,
        _ input: Input
    ) {
        self.init(client, call.streamTarget(for: input), failing: Kind.self)
    }

    /// The events of the runner, filtered by a query.
    package init(eventsOf client: RunnerClient, _ query: String, after last: String? = nil, wasThere: Bool = false) {
        self.init(client, "/v1/events?\(query)", failing: NoFailureKind.self, after: last, wasThere: wasThere)
    }

    /// Passes on every event until the consumer returns false.
    ///
    /// After the end of a stream another one continues after the last event, across restarts of the runner. `opening`
    /// is called before each stream.
    package mutating func follow(
        opening: () async throws -> Void = {},
        _ take: (ServerSentEvent) throws -> Bool
    ) async throws -> ExitStatus {
        Console.endWithoutReader()
        var pause = Self.shortest
        while true {
            let seen = last
            do {
                try await opening()
                guard try await read(take) else { return .success }
                Console.printError(
                    "the stream ended, as it does at a reload or a restart of the runner; connecting again\n"
                )
            } catch let failure as Failure where failure.status == .unavailable && wasThere {
                if pause == Self.shortest { Console.printError("connection lost: \(failure.message); reconnecting\n") }
            }
            // New events reset the backoff.
            pause = last == seen ? min(pause * 2, Self.longest) : Self.shortest
            try await TimeSource.host.sleep(pause)
        }
    }

    private static let shortest = Duration.milliseconds(200)
    private static let longest = Duration.seconds(10)

    /// Opens the stream and passes on its events until it ends; false where the consumer has stopped.
    package mutating func read(_ take: (ServerSentEvent) throws -> Bool) async throws -> Bool {
        var fields: Fields = ["Accept": "text/event-stream"]
        if let last { fields["Last-Event-ID"] = last }
        let response = try await client.open(.get, path, fields: fields, silence: .seconds(60))
        guard response.status == .ok else {
            let bytes = try await client.read(response.body) { try await $0.collect(upTo: .mebibytes(1)) }
            _ = try check(
                RunnerAnswer(status: response.status, fields: response.fields, bytes: bytes, socket: client.socket)
            )
            throw Failure.foreign(client.socket)
        }
        guard response.fields["Content-Type"]?.hasPrefix("text/event-stream") ?? false else {
            throw Failure.foreign(client.socket)
        }
        wasThere = true
        var frames = EventFrames()
        while let bytes = try await client.read(response.body, { try await $0.read() }) {
            for event in try frames.consume(bytes) {
                guard try take(event) else { return false }
            }
            last = frames.lastID ?? last
        }
        return true
    }
}

extension RunnerClient {
    /// The id of the newest event; nil where there is none yet.
    package func newestEvent() async throws -> String? {
        var feed = EventFeed(eventsOf: self, "follow=false")
        _ = try await feed.read { _ in true }
        return feed.last
    }
}
