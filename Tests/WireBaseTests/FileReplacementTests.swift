import Foundation
import Glibc
import Support
import Testing
import WireBase

@Suite("Replaced files")
struct FileReplacementTests {
    @Test("a file has no name until it is complete, and keeps the permissions of the one that it replaces")
    func names() throws {
        let folder = try TemporaryFolder()
        let path = "\(folder.url.path)/file"
        for (text, mode) in [("one", 0o600), ("two", 0o640)] {
            if text == "two" { #expect(unsafe chmod(path, UInt32(mode)) == 0) }
            let file = try FileReplacement(of: path, permissions: text == "one" ? 0o600 : nil)
            try file.write(Array(text.utf8))
            let names = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
            #expect(names == (text == "one" ? [] : ["file"]))
            try file.commit()
            #expect(try String(contentsOfFile: path, encoding: .utf8) == text)
            #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == mode)
        }
        let (first, second) = ("\(path).a", try FileReplacement(of: "\(path).a", onlyNew: true))
        try folder.write("other", to: "file.a")
        #expect(throws: Fault.self) { try second.commit() }
        #expect(try String(contentsOfFile: first, encoding: .utf8) == "other")
        try FileManager.default.removeItem(atPath: first)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["file"])
    }

    @Test(
        "a file that cannot get its name is refused before it is written",
        arguments: ["", "missing/file", "file", String(repeating: "a", count: 256)]
    )
    func names(name: String) throws {
        let folder = try TemporaryFolder()
        try folder.write("", to: "file")
        let path = name.isEmpty ? "" : "\(folder.url.path)/\(name)"
        #expect(throws: Fault.self) { try FileReplacement(of: path, onlyNew: true) }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["file"])
    }

    @Test("drafts of ended processes are removed, those that are being written and files of the user are not")
    func drafts() throws {
        let folder = try TemporaryFolder()
        let path = "\(folder.url.path)/file"
        let (ended, living) = (try FileDraft.make(of: path, 0o600), try FileDraft.make(of: path, 0o600))
        defer { close(living.descriptor) }
        // The lock ends with its process, as here with the descriptor.
        close(ended.descriptor)
        let kept = [
            "file", "file.old.new", "file.1.x.new", "file.1.2.new", "file.corewire-1.new", "file.corewire-.new",
            "other.corewire-0123456789abcdef.new", "file.corewire-0123456789abcdef.bak",
        ]
        for name in kept { try folder.write("", to: name) }
        let file = try FileReplacement(of: path)
        let draft = URL(fileURLWithPath: living.path).lastPathComponent
        let left = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
        #expect(Set(left) == Set(kept + [draft]))
        try file.commit()
    }

    @Test("a file that has its first name is not removed as a draft before it has its last one")
    func linked() throws {
        let folder = try TemporaryFolder()
        let path = "\(folder.url.path)/file"
        let file = try FileReplacement(of: path)
        // A folder is not replaced, so that the file keeps its first name.
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        #expect(throws: Fault.self) { try file.commit() }
        FileDraft.removeAbandoned(of: path)
        #expect(FileManager.default.fileExists(atPath: try #require(file.draft)))
    }
}
