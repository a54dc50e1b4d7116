import WireConfig
import WireDownloadContract
import WireHTTP
import WireNotificationContract
import WireStateContract
import WireSyncContract
import WireWorkContract

/// The input of a paged list.
protocol PageRequest: JSONRecord {
    associatedtype Place: Equatable
    /// The element after which the page begins.
    var after: Place? { get set }
    /// The maximum number of elements.
    var limit: Int? { get set }
    /// The runner's limit for a page.
    static var largestPage: Int { get }
}

extension PageRequest {
    static var largestPage: Int { 1_000 }
}

/// A page of a list.
protocol Page: JSONRecord {
    associatedtype Place
    /// The member with the elements.
    static var elements: String { get }
    /// The start of the next page; nil on the last one.
    var next: Place? { get }
}

extension RunnerClient {
    /// Fetches pages up to a number of elements, as one answer.
    func list<Input: PageRequest, Answer: Page, Kind>(
        _ call: APICall<Input, Answer, Kind>,
        _ input: Input,
        upTo limit: Int = .max
    ) async throws -> RunnerReply<Answer> where Input.Place == Answer.Place {
        var input = input
        var elements: [JSONValue] = []
        while true {
            input.limit = min(Input.largestPage, limit - elements.count)
            let reply = try await perform(call, input)
            let page = reply.json[Answer.elements]?.array ?? []
            elements += page
            if let next = reply.answer.next, elements.count < limit {
                // A list without progress would never end.
                guard !page.isEmpty, next != input.after else { throw Failure.foreign(socket) }
                input.after = next
                continue
            }
            let members = (reply.json.members ?? []).map { key, value in
                (key: key, value: key == Answer.elements ? .array(elements) : value)
            }
            let whole = JSONValue.object(members)
            return RunnerReply(answer: try Answer.read(answer: whole.bytes()), status: reply.status, json: whole)
        }
    }
}

extension OutboxListRequest: PageRequest {}
extension OutboxPage: Page { static let elements = "requests" }

extension DownloadListRequest: PageRequest {}
extension DownloadPage: Page { static let elements = "downloads" }

extension NotificationListRequest: PageRequest { static let largestPage = 200 }
extension NotificationPage: Page { static let elements = "notifications" }

extension SyncQueueRequest: PageRequest {}
extension SyncQueue: Page { static let elements = "mutations" }

extension StatePage: PageRequest {}
extension StateNamespaces: Page { static let elements = "namespaces" }

extension StateEntriesRequest: PageRequest {
    var after: String? {
        get { page.after }
        set { page.after = newValue }
    }
    var limit: Int? {
        get { page.limit }
        set { page.limit = newValue }
    }
}
extension StateEntries: Page { static let elements = "entries" }
