// Written by 'corewire sync generate swift'; changes are lost when it is written again.
// swift-format-ignore-file

import Corewire
import Foundation

enum GraphQL {
    /// The query 'Everything'.
    struct EverythingQuery: Corewire.SyncOperation {
        static let name = "Everything"
        static let kind = Corewire.SyncOperationKind.query
        static let document = "query Everything{default:tasks{id case:status}}"
        let variables = Variables()

        struct Variables: Encodable, Sendable {}

        struct Data: Decodable, Hashable, Sendable {
            let `default`: [Default]

            struct Default: Decodable, Hashable, Sendable {
                let id: String
                /// How far it is.
                let `case`: Status
            }
        }
    }

    /// The query 'OneNode'.
    struct OneNodeQuery: Corewire.SyncOperation {
        static let name = "OneNode"
        static let kind = Corewire.SyncOperationKind.query
        static let document = "query OneNode($id:ID!){node(id:$id){id type:__typename ...NodeParts ...on Titled{title}}titled{title}}fragment NodeParts on Node{id}"
        var variables: Variables

        init(id: String) {
            variables = Variables(id: id)
        }

        struct Variables: Encodable, Sendable {
            var id: String
        }

        struct Data: Decodable, Hashable, Sendable {
            let node: Node?
            let titled: Titled?

            struct Node: Decodable, Hashable, Sendable {
                let id: String
                let type: String
                let nodeParts: NodeParts
                let asTitled: AsTitled?

                private enum CodingKeys: String, CodingKey {
                    case id
                    case type
                }

                init(from decoder: any Decoder) throws {
                    let values = try decoder.container(keyedBy: CodingKeys.self)
                    id = try values.decode(String.self, forKey: .id)
                    type = try values.decode(String.self, forKey: .type)
                    nodeParts = try NodeParts(from: decoder)
                    asTitled = ["Task", "Note"].contains(type) ? try AsTitled(from: decoder) : nil
                }

                struct AsTitled: Decodable, Hashable, Sendable {
                    let title: String
                }
            }

            struct Titled: Decodable, Hashable, Sendable {
                let title: String
            }
        }
    }

    /// The mutation 'SaveTask'.
    struct SaveTaskMutation: Corewire.SyncOperation {
        static let name = "SaveTask"
        static let kind = Corewire.SyncOperationKind.mutation
        static let document = "mutation SaveTask($input:TaskInput!){save(input:$input){...TaskParts}}fragment TaskParts on Task{...NodeParts title status changed isPinned}fragment NodeParts on Node{id}"
        var variables: Variables

        init(input: TaskInput) {
            variables = Variables(input: input)
        }

        struct Variables: Encodable, Sendable {
            var input: TaskInput
        }

        struct Data: Decodable, Hashable, Sendable {
            let save: Save?

            struct Save: Decodable, Hashable, Sendable {
                let taskParts: TaskParts

                init(from decoder: any Decoder) throws {
                    taskParts = try TaskParts(from: decoder)
                }
            }
        }
    }

    /// The query 'Search'.
    struct SearchQuery: Corewire.SyncOperation {
        static let name = "Search"
        static let kind = Corewire.SyncOperationKind.query
        static let document = "query Search($text:String!,$withOwner:Boolean!){search(text:$text){__typename ...on Task{...TaskParts weight}...on User{name tasks{id}}...on Node{id}...on Titled{heading:title}...NoteParts ...UserParts@include(if:$withOwner)}}fragment TaskParts on Task{...NodeParts title status changed isPinned}fragment NodeParts on Node{id}fragment NoteParts on Note{text}fragment UserParts on User{name}"
        var variables: Variables

        init(text: String, withOwner: Bool) {
            variables = Variables(text: text, withOwner: withOwner)
        }

        struct Variables: Encodable, Sendable {
            var text: String
            var withOwner: Bool
        }

        struct Data: Decodable, Hashable, Sendable {
            let search: [Search]

            struct Search: Decodable, Hashable, Sendable {
                let typename: String
                let id: String
                let noteParts: NoteParts?
                let asTask: AsTask?
                let asUser: AsUser?
                let asTitled: AsTitled?

                private enum CodingKeys: String, CodingKey {
                    case typename = "__typename"
                    case id
                }

                init(from decoder: any Decoder) throws {
                    let values = try decoder.container(keyedBy: CodingKeys.self)
                    typename = try values.decode(String.self, forKey: .typename)
                    id = try values.decode(String.self, forKey: .id)
                    noteParts = ["Note"].contains(typename) ? try NoteParts(from: decoder) : nil
                    asTask = ["Task"].contains(typename) ? try AsTask(from: decoder) : nil
                    asUser = ["User"].contains(typename) ? try AsUser(from: decoder) : nil
                    asTitled = ["Task", "Note"].contains(typename) ? try AsTitled(from: decoder) : nil
                }

                struct AsTask: Decodable, Hashable, Sendable {
                    let weight: Double?
                    let taskParts: TaskParts

                    private enum CodingKeys: String, CodingKey {
                        case weight
                    }

                    init(from decoder: any Decoder) throws {
                        let values = try decoder.container(keyedBy: CodingKeys.self)
                        weight = try values.decodeIfPresent(Double.self, forKey: .weight)
                        taskParts = try TaskParts(from: decoder)
                    }
                }

                struct AsUser: Decodable, Hashable, Sendable {
                    let name: String
                    let tasks: [Tasks?]?

                    struct Tasks: Decodable, Hashable, Sendable {
                        let id: String
                    }
                }

                struct AsTitled: Decodable, Hashable, Sendable {
                    let heading: String
                }
            }
        }
    }

    /// The subscription 'TaskChanged'.
    struct TaskChangedSubscription: Corewire.SyncOperation {
        static let name = "TaskChanged"
        static let kind = Corewire.SyncOperationKind.subscription
        static let document = "subscription TaskChanged($status:[Status!]){changed(status:$status){...TaskParts}}fragment TaskParts on Task{...NodeParts title status changed isPinned}fragment NodeParts on Node{id}"
        var variables: Variables

        init(status: [Status]?? = nil) {
            variables = Variables(status: status)
        }

        struct Variables: Encodable, Sendable {
            var status: [Status]?? = nil
        }

        struct Data: Decodable, Hashable, Sendable {
            let changed: Changed

            struct Changed: Decodable, Hashable, Sendable {
                let taskParts: TaskParts

                init(from decoder: any Decoder) throws {
                    taskParts = try TaskParts(from: decoder)
                }
            }
        }
    }

    /// The tasks that fit a filter.
    struct TasksQuery: Corewire.SyncOperation {
        static let name = "Tasks"
        static let kind = Corewire.SyncOperationKind.query
        static let document = "query Tasks($filter:TaskFilter,$first:Int!=5,$withOwner:Boolean!,$kind:String_){tasks(filter:$filter,first:$first,kind:$kind){...TaskParts tags grid due owner@include(if:$withOwner){name}children{id owner{id ...@include(if:$withOwner){name}}}parent{parent{self:title}}}}fragment TaskParts on Task{...NodeParts title status changed isPinned}fragment NodeParts on Node{id}"
        var variables: Variables

        init(filter: TaskFilter?? = nil, first: Int? = nil, withOwner: Bool, kind: String_?? = nil) {
            variables = Variables(filter: filter, first: first, withOwner: withOwner, kind: kind)
        }

        struct Variables: Encodable, Sendable {
            var filter: TaskFilter?? = nil
            var first: Int? = nil
            var withOwner: Bool
            var kind: String_?? = nil
        }

        struct Data: Decodable, Hashable, Sendable {
            let tasks: [Tasks]

            struct Tasks: Decodable, Hashable, Sendable {
                let tags: [String?]?
                let grid: [[Int]?]?
                let due: Foundation.Date?
                /// Whom it is for.
                let owner: Owner?
                let children: [Children]
                let parent: Parent?
                let taskParts: TaskParts

                private enum CodingKeys: String, CodingKey {
                    case tags
                    case grid
                    case due
                    case owner
                    case children
                    case parent
                }

                init(from decoder: any Decoder) throws {
                    let values = try decoder.container(keyedBy: CodingKeys.self)
                    tags = try values.decodeIfPresent([String?].self, forKey: .tags)
                    grid = try values.decodeIfPresent([[Int]?].self, forKey: .grid)
                    due = try values.decodeIfPresent(Foundation.Date.self, forKey: .due)
                    owner = try values.decodeIfPresent(Owner.self, forKey: .owner)
                    children = try values.decode([Children].self, forKey: .children)
                    parent = try values.decodeIfPresent(Parent.self, forKey: .parent)
                    taskParts = try TaskParts(from: decoder)
                }

                struct Owner: Decodable, Hashable, Sendable {
                    let name: String
                }

                struct Children: Decodable, Hashable, Sendable {
                    let id: String
                    /// Whom it is for.
                    let owner: Owner?

                    struct Owner: Decodable, Hashable, Sendable {
                        let id: String
                        let name: String?
                    }
                }

                struct Parent: Decodable, Hashable, Sendable {
                    let parent: Parent?

                    struct Parent: Decodable, Hashable, Sendable {
                        let selfValue: String

                        private enum CodingKeys: String, CodingKey {
                            case selfValue = "self"
                        }
                    }
                }
            }
        }
    }

    /// What has an id.
    struct NodeParts: Decodable, Hashable, Sendable {
        let id: String
    }

    /// The fragment 'NoteParts' on 'Note'.
    struct NoteParts: Decodable, Hashable, Sendable {
        let text: String?
    }

    /// The fragment 'TaskParts' on 'Task'.
    struct TaskParts: Decodable, Hashable, Sendable {
        let title: String
        /// How far it is.
        let status: Status
        let changed: Int
        let isPinned: Bool
        let nodeParts: NodeParts

        private enum CodingKeys: String, CodingKey {
            case title
            case status
            case changed
            case isPinned
        }

        init(from decoder: any Decoder) throws {
            let values = try decoder.container(keyedBy: CodingKeys.self)
            title = try values.decode(String.self, forKey: .title)
            status = try values.decode(Status.self, forKey: .status)
            changed = try values.decode(Int.self, forKey: .changed)
            isPinned = try values.decode(Bool.self, forKey: .isPinned)
            nodeParts = try NodeParts(from: decoder)
        }
    }

    /// The input object 'StringFilter'.
    struct StringFilter: Encodable, Sendable {
        var contains: String??
        var `in`: [String?]??

        init(contains: String?? = nil, `in`: [String?]?? = nil) {
            self.contains = contains
            self.`in` = `in`
        }
    }

    /// The input object 'TaskFilter'.
    struct TaskFilter: Encodable, Sendable {
        var status: [Status]??
        var title: StringFilter??
        var and: [TaskFilter]??
        /// Tasks that do not fit it.
        var not: Corewire.SyncBox<TaskFilter>??

        init(status: [Status]?? = nil, title: StringFilter?? = nil, and: [TaskFilter]?? = nil, not: TaskFilter?? = nil) {
            self.status = status
            self.title = title
            self.and = and
            self.not = not.map { $0.map { .value($0) } }
        }
    }

    /// The input object 'TaskInput'.
    struct TaskInput: Encodable, Sendable {
        var id: String??
        var title: String
        var status: Status??
        var weight: Double?
        var due: Foundation.Date??
        var owner: UserKey??

        init(id: String?? = nil, title: String, status: Status?? = nil, weight: Double? = nil, due: Foundation.Date?? = nil, owner: UserKey?? = nil) {
            self.id = id
            self.title = title
            self.status = status
            self.weight = weight
            self.due = due
            self.owner = owner
        }
    }

    /// The input object 'UserKey'.
    indirect enum UserKey: Encodable, Sendable {
        case id(String)
        case name(String)
        /// The user of another task.
        case of(UserKey)

        func encode(to encoder: any Encoder) throws {
            var values = encoder.container(keyedBy: CodingKeys.self)
            switch self {
            case .id(let value): try values.encode(value, forKey: .id)
            case .name(let value): try values.encode(value, forKey: .name)
            case .of(let value): try values.encode(value, forKey: .of)
            }
        }

        private enum CodingKeys: String, CodingKey {
            case id
            case name
            case of
        }
    }

    /// How far a task is.
    enum Status: RawRepresentable, Hashable, Codable, Sendable {
        case open
        case inProgress
        /// Nothing is left to do.
        case done
        case `default`
        case unknownValue
        /// A value that the schema did not have when this was written.
        case unknown(String)

        init(rawValue: String) {
            switch rawValue {
            case "OPEN": self = .open
            case "IN_PROGRESS": self = .inProgress
            case "DONE": self = .done
            case "default": self = .`default`
            case "UNKNOWN": self = .unknownValue
            default: self = .unknown(rawValue)
            }
        }

        var rawValue: String {
            switch self {
            case .open: "OPEN"
            case .inProgress: "IN_PROGRESS"
            case .done: "DONE"
            case .`default`: "default"
            case .unknownValue: "UNKNOWN"
            case .unknown(let value): value
            }
        }
    }

    /// A name that Swift has too.
    enum String_: RawRepresentable, Hashable, Codable, Sendable {
        case a
        /// A value that the schema did not have when this was written.
        case unknown(String)

        init(rawValue: String) {
            switch rawValue {
            case "A": self = .a
            default: self = .unknown(rawValue)
            }
        }

        var rawValue: String {
            switch self {
            case .a: "A"
            case .unknown(let value): value
            }
        }
    }
}
