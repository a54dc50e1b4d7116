import Testing
import WireBase
import WireConfig
import WireHTTP

@Suite("Records")
struct RecordTests {
    @Test("values round-trip member by member, and nil is omitted")
    func roundTrip() throws {
        let parcel = Parcel(
            id: "a\"b\u{2028}",
            size: 3,
            mode: .slow,
            stops: [Stop(city: "Köln")],
            note: nil,
            wait: .seconds(90)
        )
        let text = String(decoding: parcel.bytes, as: UTF8.self)
        #expect(
            text == #"{"id":"a\"b\u2028","size":3,"mode":"slow","stops":[{"city":"Köln"}],"after":"1m30s"}"#
        )
        #expect(parcel.json.text() == text)
        #expect(try Parcel(parsing: parcel.bytes, named: "parcel") == parcel)
    }

    @Test("a member that is nullable, or has a default, may be omitted")
    func defaults() throws {
        let parcel = try Parcel(parsing: Array(#"{"stops":[],"id":"x","size":1,"note":null}"#.utf8), named: "parcel")
        #expect(parcel == Parcel(id: "x", size: 1, mode: .fast, stops: [], note: nil, wait: .zero))
    }

    @Test(
        "an invalid value is reported with its place",
        arguments: [
            (#"{"size":1,"stops":[]}"#, "/id", 1, "'id' is missing"),
            (#"{"id":7,"size":1,"stops":[]}"#, "/id", 7, "'id': found a number, expected text"),
            (#"{"id":"x","size":1.5,"stops":[]}"#, "/size", 18, "'size': found a number, expected a whole number"),
            (#"{"id":"x","size":101,"stops":[]}"#, "/size", 18, "found 101, expected 1 to 100"),
            (#"{"id":"x","size":99999999999999999999,"stops":[]}"#, "/size", 18, "the number is too large"),
            (
                #"{"id":"x","size":1,"stops":[],"mode":"slwo"}"#, "/mode", 38,
                "found 'slwo', expected 'fast' or 'slow', did you mean 'slow'?"
            ),
            (#"{"id":"x","size":1,"stops":{}}"#, "/stops", 28, "'stops': found an object, expected an array"),
            (#"{"id":"x","size":1,"stops":["y"]}"#, "/stops/0", 29, "found text, expected an object"),
            (
                #"{"id":"x","size":1,"stops":[{"city":"y"},{"cty":"y"}]}"#, "/stops/1/city", 42,
                "'city' is missing"
            ),
            (
                #"{"id":"x","size":1,"stops":[],"nte":"y"}"#, "/nte", 31,
                "unknown member 'nte', did you mean 'note'?"
            ),
            (#"{"id":"x","size":1,"stops":[],"a/b~":1}"#, "/a~1b~0", 31, "unknown member 'a/b~'"),
            (#"{"404":1}"#, "/id", 1, "'id' is missing"),
            (
                #"{"id":"x","size":1,"stops":[],"after":"soon"}"#, "/after", 39,
                "found 'soon', expected a duration such as 10m"
            ),
            ("[]", "", 1, "found an array, expected an object"),
        ]
    )
    func mismatches(text: String, pointer: String, column: Int, detail: String) {
        do throws(JSONMismatch) {
            _ = try Parcel(parsing: Array(text.utf8), named: "parcel")
            Issue.record("it was read")
        } catch {
            #expect(error.pointer == pointer)
            #expect(error.place?.start.column == column)
            #expect(error.detail == detail)
        }
    }

    @Test("members of newer versions are ignored on request, at any depth")
    func newer() throws {
        let text = Array(#"{"id":"x","size":1,"stops":[{"city":"y","zip":1}],"colour":"red"}"#.utf8)
        let parcel = try Parcel(parsing: text, named: "parcel", toleratesUnknown: true)
        #expect(parcel.stops == [Stop(city: "y")])
        #expect(throws: JSONMismatch.self) { try Parcel(parsing: text, named: "parcel") }
    }

    @Test("an unreadable optional member counts as absent, a required one does not")
    func newerWords() throws {
        let text = #"{"id":"x","size":1,"stops":[],"mode":"flying","note":7}"#
        let parcel = try Parcel(parsing: Array(text.utf8), named: "parcel", toleratesUnknown: true)
        #expect(parcel == Parcel(id: "x", size: 1, mode: .fast, stops: [], note: nil, wait: .zero))
        #expect(throws: JSONMismatch.self) {
            try Parcel(parsing: Array(#"{"id":1,"size":1,"stops":[]}"#.utf8), named: "parcel", toleratesUnknown: true)
        }
    }

    @Test("a versioned record is written with its version, and other versions are rejected")
    func versions() throws {
        let label = Label(text: "x")
        #expect(String(decoding: label.bytes, as: UTF8.self) == #"{"version":2,"text":"x"}"#)
        #expect(label.json.text() == #"{"version":2,"text":"x"}"#)
        #expect(try Label(parsing: label.bytes, named: "label") == label)
        for text in [#"{"version":3,"text":"x"}"#, #"{"text":"x"}"#] {
            #expect(throws: JSONMismatch.self) { try Label(parsing: Array(text.utf8), named: "label") }
        }
    }

    @Test("a removable member is absent, null or a value; map keys are the caller's")
    func nullable() throws {
        let text = #"{"note":null,"marks":{"a":"x","b":null}}"#
        let change = try Change(parsing: Array(text.utf8), named: "change")
        guard case .null = change.note else {
            Issue.record("found \(String(describing: change.note)), expected null")
            return
        }
        #expect(change.marks?.entries.map(\.name) == ["a", "b"])
        #expect(change.marks?.entries.map(\.value.value) == ["x", nil])
        #expect(String(decoding: change.bytes, as: UTF8.self) == text && change.json.text() == text)
        let absent = try Change(parsing: Array("{}".utf8), named: "change")
        #expect(absent.note?.plain == nil && absent.marks?.entries.count == nil)
        #expect(try Change(texts: { $0 == "note" ? "" : nil }).note?.plain == "")
        #expect(try Change(texts: { $0 == "note" ? "y" : nil }).note?.value == "y")
        for (text, pointer, detail) in [
            (#"{"note":7}"#, "/note", "'note': found a number, expected text"),
            (#"{"marks":[]}"#, "/marks", "'marks': found an array, expected an object"),
            (#"{"marks":{"a/b":1}}"#, "/marks/a~1b", "'a/b': found a number, expected text"),
        ] {
            let mismatch = #expect(throws: JSONMismatch.self) { try Change(parsing: Array(text.utf8), named: "change") }
            #expect(mismatch?.pointer == pointer && mismatch?.detail == detail, "\(String(describing: mismatch))")
        }
        #expect(Nullable<String>.schema.keywords.text() == #"{"type":["string","null"]}"#)
        #expect(
            JSONMap<Nullable<String>>.schema.keywords.text()
                == #"{"type":"object","additionalProperties":{"type":["string","null"]}}"#
        )
    }

    @Test("the schema describes what is written, and for requests what may be omitted or null")
    func schemas() {
        #expect(Parcel.schema.keywords.text() == ##"{"$ref":"#/components/schemas/Parcel"}"##)
        let operation = Operation(
            .post,
            "/parcels",
            "Send.",
            access: .write,
            body: .json(Parcel.form.requestSchema),
            answers: [.json(Stop.schema, "A stop.")]
        )
        let schemas = APIDescription([operation]).value["components"]?["schemas"]
        let parcel = schemas?["Parcel"]
        #expect(parcel?["required"]?.text() == #"["id","size","stops"]"#)
        #expect(parcel?["properties"]?["mode"]?["enum"]?.text() == #"["fast","slow",null]"#)
        #expect(parcel?["properties"]?["size"]?["maximum"]?.integer == 100)
        #expect(schemas?["Stop"]?["description"]?.string == "Where it stops.")
    }
}

private struct Parcel: JSONRecord, Equatable {
    enum Mode: String, JSONWord, PlainCodable { case fast, slow }

    let id: String
    let size: Int
    let mode: Mode
    let stops: [Stop]
    let note: String?
    let wait: Duration

    static let form = JSONForm<Self>("Parcel", "What is sent.")
}

extension Parcel {
    init(_ members: inout Members<Self>) throws(JSONMismatch) {
        id = try members.required("id", \.id, "Its id.")
        size = try members.required("size", \.size, "Its size.", .in(1...100))
        mode = try members.value("mode", \.mode, "How it travels.", or: .fast)
        stops = try members.required("stops", \.stops, "Where it stops.")
        note = try members.optional("note", \.note, "What is written on it.")
        wait = try members.value("after", \.wait, "How long it is held.", or: .zero)
    }
}

private struct Stop: JSONRecord, Equatable {
    let city: String
    static let form = JSONForm<Self>("Stop", "Where it stops.")
}

extension Stop {
    init(_ members: inout Members<Self>) throws(JSONMismatch) {
        city = try members.required("city", \.city, "The city.")
    }
}

private struct Label: JSONRecord, Equatable {
    let text: String
    static let form = JSONForm<Self>("Label", "A label.", version: 2)
}

extension Label {
    init(_ members: inout Members<Self>) throws(JSONMismatch) {
        text = try members.required("text", \.text, "What it says.")
    }
}

private struct Change: JSONRecord {
    let note: Nullable<String>?
    let marks: JSONMap<Nullable<String>>?
    static let form = JSONForm<Self>("Change", "A change.")
}

extension Change {
    init(_ members: inout Members<Self>) throws(JSONMismatch) {
        note = try members.present("note", \.note, "What is written on it.")
        marks = try members.optional("marks", \.marks, "Marks by name.")
    }
}
