import WireBase
import WireConfig
import WireContentContract
import WireHTTP
import WireNetworkContract
import WireService

/// The client of the content server.
struct ContentServer: Sendable {
    private let requests: any ServerClient
    private let settings: ContentSection
    private let origin: ValueOrigin?
    private let sizeOrigin: ValueOrigin?

    init(_ requests: any ServerClient, _ settings: ContentSection, _ host: ContentHost) {
        self.requests = requests
        self.settings = settings
        origin = host.places.origin(of: settings.$url, "content.url")
        sizeOrigin = host.places.origin(of: settings.$maxModuleSize, "content.maxModuleSize")
    }

    /// A request below the base URL of the content.
    struct Ask {
        var method: Method
        var path: String
        var query: String?
        var body: JSONValue?
        /// The maximum age of a response from the server's own cache.
        var cacheAge: Duration?
        var policy: OfflinePolicy?
        /// Whether the request is idempotent.
        var isRepeatable = false
        /// The setting that the request comes from.
        var place: ValueOrigin?

        init(_ method: Method, _ path: String) {
            self.method = method
            self.path = path
        }
    }

    /// A successful response.
    struct Answer {
        let bytes: [UInt8]
        let source: ServerAnswer.Source
        /// The pipeline's note on the source of the response.
        let sourceNote: String?
    }

    func send(_ ask: Ask) async throws(ContentFailure) -> Answer {
        var call = ServerCall(
            ask.method,
            .below(settings.url, path: ask.path, query: ask.query),
            from: ContentSection.name,
            at: ask.place ?? origin
        )
        call.fields = ["Accept": "application/json"]
        if let age = ask.cacheAge { call.fields["to-cache"] = "\(age.components.seconds)" }
        if let body = ask.body {
            call.fields["Content-Type"] = "application/json"
            call.body = .bytes(body.bytes())
        }
        call.authorization = settings.authenticated ? .usual : .none
        call.redirects = .unchanged
        call.offlinePolicy = ask.policy
        call.waitsForNetwork = false
        call.isRepeatable = ask.isRepeatable
        let answer: ServerAnswer
        do throws(CallFailure) {
            answer = try await requests.send(call)
        } catch {
            throw ContentFailure(error)
        }
        return try await take(answer)
    }

    private func take(_ answer: ServerAnswer) async throws(ContentFailure) -> Answer {
        let limit = settings.maxModuleSize
        let bytes: [UInt8]
        do {
            bytes = try await answer.body.collect(upTo: limit)
        } catch is BodyTooLarge {
            throw ContentFailure(
                .tooLarge,
                "the response of the content server is larger than \(limit)",
                help: "raise 'content.maxModuleSize', or request fewer instances",
                origin: sizeOrigin
            )
        } catch let failure as TransferFailure {
            throw ContentFailure(failure.kind == .cancelled ? .cancelled : .unreachable, failure.reason, origin: origin)
        } catch let failure as CallFailure {
            throw ContentFailure(failure)
        } catch {
            throw Task.isCancelled
                ? .cancelled
                : ContentFailure(.unreachable, "the response of the content server was cut off", origin: origin)
        }
        let code = answer.status.code
        if (200..<300).contains(code) {
            return Answer(bytes: bytes, source: answer.source, sourceNote: answer.fields["Corewire-Cache"])
        }
        throw refusal(answer.status, bytes, answer.fields["Retry-After"])
    }

    private func refusal(_ status: Status, _ bytes: [UInt8], _ pause: String?) -> ContentFailure {
        let words = ServerJSON.complaint(in: bytes).map { ": \($0)" } ?? ""
        var failure = ContentFailure(
            ContentFailureKind(status),
            "the content server responded with status \(status.code)\(status.phrase.isEmpty ? "" : " \(status.phrase)")\(words)",
            help: status == .notFound ? "check 'content.url' and the name of the module" : nil,
            origin: origin
        )
        if let seconds = pause.flatMap({ Int($0) }) { failure.retryAfter = .seconds(min(max(0, seconds), 86_400)) }
        return failure
    }

    /// Parses a response; failures name its address.
    func json(_ bytes: [UInt8]) throws(ContentFailure) -> ServerJSON {
        do throws(Fault) {
            var json = try ServerJSON(bytes)
            json.origin = origin
            return json
        } catch {
            throw malformed(error.reason)
        }
    }

    func malformed(_ reason: String) -> ContentFailure { ServerJSON.malformed(reason, at: origin) }
}
