package import WireBase

/// Hides secrets in excerpts of files.
///
/// Where a file was parsed, the ranges of secrets are known. Otherwise everything after a key that may hold a secret is
/// hidden, up to the next key that cannot.
package struct Veil: Sendable {
    private let hidden: [ObjectIdentifier: [Range<Int>]]
    /// The keys that may hold a secret, where the file was not completely parsed.
    private let secretKeys: [String]

    package init(hiding secrets: [SourceRange], guessing secretKeys: [String] = []) {
        hidden = Dictionary(grouping: secrets) { ObjectIdentifier($0.file) }
            .mapValues { Self.merged($0.map(\.bytes)) }
        self.secretKeys = secretKeys
    }

    /// Sorts ranges and merges overlapping ones.
    private static func merged(_ stretches: [Range<Int>]) -> [Range<Int>] {
        var merged: [Range<Int>] = []
        for stretch in stretches.sorted(by: { $0.lowerBound < $1.lowerBound }) where !stretch.isEmpty {
            if let last = merged.last, stretch.lowerBound < last.upperBound {
                merged[merged.count - 1] = last.lowerBound..<max(last.upperBound, stretch.upperBound)
            } else {
                merged.append(stretch)
            }
        }
        return merged
    }

    /// The known ranges that overlap another one.
    private func known(in range: Range<Int>, of file: SourceFile) -> ArraySlice<Range<Int>> {
        guard let stretches = hidden[ObjectIdentifier(file)] else { return [] }
        var (low, high) = (0, stretches.count)
        while low < high {
            let middle = (low + high) / 2
            if stretches[middle].upperBound <= range.lowerBound { low = middle + 1 } else { high = middle }
        }
        return stretches[low...].prefix { $0.overlaps(range) }
    }

    /// Whether any byte of a range is hidden.
    package func hides(_ place: SourceRange) -> Bool {
        guard !secretKeys.isEmpty else { return !known(in: place.bytes, of: place.file).isEmpty }
        let index = place.file.lineIndex
        let first = index.line(of: place.bytes.lowerBound)
        let last = index.line(of: place.bytes.upperBound)
        return (first...max(first, last)).contains { line in
            hiddenBytes(ofLine: line, in: place.file).contains { $0.overlaps(place.bytes) }
        }
    }

    /// The hidden bytes of a line.
    func hiddenBytes(ofLine line: Int, in file: SourceFile) -> [Range<Int>] {
        let content = file.lineIndex.content(ofLine: line, in: file.bytes)
        let known = known(in: content, of: file).map { $0.clamped(to: content) }
        return secretKeys.isEmpty ? known : known + guessed(ofLine: line, content, in: file)
    }

    // MARK: Guessing

    private func guessed(ofLine line: Int, _ content: Range<Int>, in file: SourceFile) -> [Range<Int>] {
        // An argument of '--set' has a blanked path, and its value may be a secret.
        if !file.isFile, file.bytes.first == UInt8(ascii: " ") {
            let start = content.lowerBound + indentation(of: content, in: file)
            return start < content.upperBound ? [start..<content.upperBound] : []
        }
        if let start = secretValue(in: content, of: file) {
            return isReferenceOnly(start..<content.upperBound, in: file) ? [] : [start..<content.upperBound]
        }
        return followsSecret(line, in: file) ? [content] : []
    }

    /// Whether a line continues the value of a secret's key above it.
    private func followsSecret(_ line: Int, in file: SourceFile) -> Bool {
        var above = line
        while above > 1, line - above < 200 {
            above -= 1
            let content = file.lineIndex.content(ofLine: above, in: file.bytes)
            if secretValue(in: content, of: file) != nil {
                let indentation = self.indentation(of: content, in: file)
                return !(above + 1...line).contains { between in
                    let content = file.lineIndex.content(ofLine: between, in: file.bytes)
                    return self.indentation(of: content, in: file) <= indentation && hasKey(content, in: file)
                }
            }
        }
        return false
    }

    private func indentation(of content: Range<Int>, in file: SourceFile) -> Int {
        file.bytes[content].prefix { $0 == UInt8(ascii: " ") }.count
    }

    private func hasKey(_ content: Range<Int>, in file: SourceFile) -> Bool {
        file.bytes[content].contains(UInt8(ascii: ":"))
    }

    /// The beginning of the value of the first key that may hold a secret.
    private func secretValue(in content: Range<Int>, of file: SourceFile) -> Int? {
        var word: Range<Int>?
        for offset in content {
            let byte = file.bytes[offset]
            if byte.isLetter || byte.isDigit || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-") {
                word = (word.flatMap { $0.upperBound == offset ? $0.lowerBound : nil } ?? offset)..<offset + 1
            } else if byte == UInt8(ascii: ":") || byte == UInt8(ascii: "=") {
                if let word, isSecretKey(String(decoding: file.bytes[word], as: UTF8.self)) { return offset + 1 }
                word = nil
            } else if byte != UInt8(ascii: " ") && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "'") {
                word = nil
            }
        }
        return nil
    }

    private func isSecretKey(_ name: String) -> Bool {
        Nearest.isAlmost(name, among: secretKeys)
    }

    private func isReferenceOnly(_ bytes: Range<Int>, in file: SourceFile) -> Bool {
        let text = String(decoding: file.bytes[bytes], as: UTF8.self)[...].trimmed
        let bare = text.hasPrefix("\"") && text.hasSuffix("\"") ? text.dropFirst().dropLast() : text
        guard let parsed = try? ReferringText(parsing: String(bare)) else { return false }
        return !parsed.references.isEmpty && !parsed.holdsTextOfItsOwn
    }
}

extension Form {
    /// The names of all keys whose value is a secret.
    package var secretKeys: Set<String> {
        switch self {
        case .record(let record):
            record.keys.reduce(into: []) { names, key in
                if key.form.isSecret { names.insert(key.name) }
                names.formUnion(key.form.secretKeys)
            }
        case .list(let form), .named(let form), .byEnvironment(let form): form.secretKeys
        case .tagged(_, _, let alternatives): alternatives.reduce(into: []) { $0.formUnion($1.form.secretKeys) }
        case .exclusive(let alternatives):
            alternatives.reduce(into: []) { names, alternative in
                if alternative.form.isSecret { names.insert(alternative.name) }
                names.formUnion(alternative.form.secretKeys)
            }
        case .either(let first, let second): first.secretKeys.union(second.secretKeys)
        case .text, .boolean, .integer, .number, .choice, .secret, .free: []
        }
    }
}

extension Catalogue {
    /// The names of all keys whose value is a secret, in any section.
    package var secretKeys: [String] {
        sections.reduce(into: Set<String>()) { $0.formUnion($1.form.secretKeys) }.sorted()
    }
}
