import Testing
import WireConfig
import WireSync

@Suite("Optimistic layers")
struct LayerTests {
    private static let list = "{ tasks { id title done } }"
    private static let task = "mutation { update { id title done } }"

    private func records() throws -> Records {
        var records = Records()
        try records.write(
            Self.list,
            """
            {"tasks":[{"__typename":"Task","id":"1","title":"a","done":false},\
            {"__typename":"Task","id":"2","title":"b","done":false}]}
            """
        )
        return records
    }

    private func layer(_ id: String, _ answer: String, _ others: [LayerChange] = []) throws -> OptimisticLayer {
        let plan = try Asked(Self.task).plan()
        return OptimisticLayer(
            id,
            try Normalizer.records(of: json(#"{"update":\#(answer)}"#), by: plan, at: .never),
            and: others
        )
    }

    @Test("a layer covers server data, later layers are above, and server data stays unchanged")
    func overlay() throws {
        var records = try records()
        records.layers.set(try layer("m1", #"{"__typename":"Task","id":"1","title":"x","done":true}"#))
        records.layers.set(try layer("m2", #"{"__typename":"Task","id":"1","title":"y"}"#))
        #expect(try records.read("{ tasks { title done } }").contains(#"{"title":"y","done":true}"#))
        try records.write(Self.task, #"{"update":{"__typename":"Task","id":"1","title":"server","done":false}}"#)
        #expect(try records.read("{ tasks { title done } }").contains(#"{"title":"y","done":true}"#))
        records.layers.remove("m2")
        #expect(try records.read("{ tasks { title done } }").contains(#"{"title":"x","done":true}"#))
        records.layers.remove("m1")
        #expect(try records.read("{ tasks { title done } }").contains(#"{"title":"server","done":false}"#))
        #expect(records.layers.isEmpty)
    }

    @Test("a new object is in the named lists, first or last, once, and in no unknown list")
    func lists() throws {
        var records = try records()
        let new = RecordKey("Task", ["local-1"])
        let answer = #"{"__typename":"Task","id":"local-1","title":"new","done":false}"#
        let every = ListTarget(.every(field: "tasks", of: "Query"), isFirst: true)
        records.layers.set(try layer("m1", answer, [.add(new, to: every), .add(new, to: every)]))
        #expect(try records.read("{ tasks { id } }") == #"{"tasks":[{"id":"local-1"},{"id":"1"},{"id":"2"}]}"#)
        records.layers.set(try layer("m1", answer, [.add(new, to: ListTarget(.field("tasks", of: .query)))]))
        #expect(try records.read("{ tasks { id } }") == #"{"tasks":[{"id":"1"},{"id":"2"},{"id":"local-1"}]}"#)
        records.layers.set(try layer("m1", answer, [.add(new, to: ListTarget(.field("others", of: .query)))]))
        #expect(try records.read("{ others { id } }") == "miss: field Query others")
    }

    @Test("a list that would lack an evicted addition is unknown until the server returns it")
    func lost() throws {
        var records = try records()
        func create(_ number: Int, at position: Int) throws {
            let answer = #"{"__typename":"Task","id":"n\#(number)","title":"new","done":false}"#
            let added = LayerChange.add(
                RecordKey("Task", ["n\(number)"]),
                to: ListTarget(.every(field: "tasks", of: "Query"))
            )
            records.layers.set(try layer("m\(number)", answer, [added]))
            try records.write(Self.task, #"{"update":\#(answer)}"#)
            records.layers.settle("m\(number)", at: Moment(position: Int64(position), time: 1_000))
        }
        for number in 1...1_000 { try create(number, at: number) }
        #expect(records.layers.forgetSettled(before: 0).layers == [])
        #expect(try records.answer("{ tasks { id } }").data["tasks"]?.array?.count == 1_002)
        try create(1_001, at: 1_001)
        let gone = records.layers.forgetSettled(before: 0)
        #expect(gone.layers.first == "m1" && gone.changed.count == 1)
        #expect(try records.read("{ tasks { id } }") == "miss: field Query tasks")
        // Asked for after the last of them was confirmed: it is right as it is.
        let told = #"{"tasks":[{"__typename":"Task","id":"1","title":"a","done":false}]}"#
        try records.write(Self.list, told, at: 2, position: 2_000)
        #expect(try records.read("{ tasks { id } }") == #"{"tasks":[{"id":"1"}]}"#)
        try create(1_002, at: 2_001)
        #expect(try records.read("{ tasks { id } }") == #"{"tasks":[{"id":"1"},{"id":"n1002"}]}"#)
    }

    @Test("a deleted object is in no list, and references to it are null")
    func deletion() throws {
        var records = try records()
        try records.write("{ task { id } }", #"{"task":{"__typename":"Task","id":"1"}}"#)
        let changed = records.layers.set(OptimisticLayer("m1", [.delete(RecordKey("Task", ["1"]))]))
        #expect(changed == [RecordKey("Task", ["1"])])
        #expect(try records.read("{ tasks { id } task { id } }") == #"{"tasks":[{"id":"2"}],"task":null}"#)
        records.layers.remove("m1")
        #expect(try records.read("{ task { id } }") == #"{"task":{"id":"1"}}"#)
    }

    @Test("with its real id an object keeps its position in layers, lists and fields")
    func temporaryID() throws {
        var records = try records()
        let new = RecordKey("Task", ["local-1"])
        let answer = #"{"__typename":"Task","id":"local-1","title":"new","done":false}"#
        records.layers.set(try layer("m1", answer, [.add(new, to: ListTarget(.every(field: "tasks", of: "Query")))]))
        records.layers.set(try layer("m2", #"{"__typename":"Task","id":"local-1","title":"newer"}"#))
        records.layers.set(try layer("m3", #"{"__typename":"Task","id":"local-10","title":"other"}"#))
        let rewriting = try #require(TemporaryID.Rewriting("local-1", to: .string("a/b")))
        let changed = records.layers.rewrite(rewriting)
        #expect(changed.isSuperset(of: [new, RecordKey("Task", ["a/b"])]))
        #expect(!changed.contains(RecordKey("Task", ["local-10"])))
        #expect(try records.read(Self.list).hasSuffix(#"{"id":"a/b","title":"newer","done":false}]}"#))
        #expect(records.record(new) == .absent)
        #expect(TemporaryID.Rewriting("7", to: .string("8")) == nil)
    }

    @Test("watchers wake on changes of a layer, also of lists named by type")
    func dependencies() throws {
        var records = try records()
        var dependencies = Dependencies()
        dependencies.set(try records.answer(Self.list).keys, of: 1)
        try records.write("{ other { id } }", #"{"other":{"__typename":"Other","id":"1"}}"#)
        dependencies.set(try records.answer("{ other { id } }").keys, of: 2)
        let new = RecordKey("Task", ["local-1"])
        let changed = records.layers.set(
            OptimisticLayer("m", [.add(new, to: ListTarget(.every(field: "tasks", of: "Query")))])
        )
        #expect(dependencies.watchers(of: changed) == [1])
        #expect(dependencies.watchers(of: [RecordKey("Other", ["1"]), RecordKey("Task", ["9"])]) == [2])
        dependencies.set([], of: 2)
        #expect(dependencies.watchers(of: [RecordKey("Other", ["1"])]).isEmpty)
    }
}
