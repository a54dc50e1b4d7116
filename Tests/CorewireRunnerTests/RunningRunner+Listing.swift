import Foundation
import Support

/// A notification in the list.
struct ListedNotification: Decodable {
    struct Button: Decodable { let label: String }

    let id: String
    let title: String?
    let body: String?
    let buttons: [Button]?
}

extension RunningRunner {
    private struct Listed: Decodable { let notifications: [ListedNotification] }

    /// The notifications in the list, the latest first.
    func listed() throws -> [ListedNotification] {
        let run = try corewire(["notifications", "list", "--limit", "1000", "--format", "json"])
        return try JSONDecoder().decode(Listed.self, from: Data(run.output.utf8)).notifications
    }

    /// The texts of the listed notifications, in the order of their arrival.
    func listedTexts() throws -> [String] { try listed().reversed().compactMap { $0.body ?? $0.title } }
}
