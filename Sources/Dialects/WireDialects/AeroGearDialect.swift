import WireBase
package import WireConfig

extension Dialect {
    /// AeroGear's `mobile-services.json`: services in a list, each with its type, as the SDKs and the sample apps write it.
    ///
    /// Any other key at the top is corewire's own and is laid over what the services say, so that such a file can have
    /// environments too.
    package static let aeroGear = Dialect(
        "aerogear",
        recognizes: { document, root in document.value("services", of: root) != nil },
        translate: { document, root, problems in
            let drawing = Drawing(over: document.place(root).file)
            let translation = AeroGearTranslation(of: root, in: document)
            var found = translation.problems
            let drawn = drawing.draw(translation.sketch, in: &document, &found)
            let earlier = problems.sorted(files: document.files).filter(drawing.concerns)
            problems.removeAll(where: drawing.concerns)
            problems.add((earlier + found).map { drawing.moved($0) })
            guard let drawn, let made = document.value(AeroGearTranslation.made, of: drawn) else { return root }
            // What the file says in the model's own words goes over what its services say.
            return document.value(AeroGearTranslation.written, of: drawn).map { document.lay($0, over: made) } ?? made
        }
    )
}
