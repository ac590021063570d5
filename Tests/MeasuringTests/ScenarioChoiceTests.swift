// SPDX-License-Identifier: Apache-2.0

import Foundation
import Runs
import Testing

struct ScenarioChoiceTests {
    private static let declared = [
        ScenarioDeclaration(
            name: "repeat", summary: "again", variants: [ScenarioVariant("keep-64", "keeps", isControl: true)],
            usualCount: 200, needs: ScenarioNeeds(rendering: .any)),
        ScenarioDeclaration(
            name: "resume", summary: "goes on",
            variants: [ScenarioVariant("changed", "another entity", abilities: [.gzip], needsOrigin: true)],
            usualCount: nil, needs: ScenarioNeeds(abilities: [.cancellation], body: true, length: true)),
        ScenarioDeclaration(
            name: "many", summary: "as many as the case says",
            variants: [ScenarioVariant("single", "one at a time", fetchesSingly: true)], usualCount: nil,
            needs: ScenarioNeeds(concurrency: true)),
        ScenarioDeclaration(
            name: "list", summary: "shows pictures", variants: [], usualCount: nil,
            needs: ScenarioNeeds(loader: true, cancels: true)),
    ]

    @Test(arguments: [
        ("repeat", ScenarioChoice(name: "repeat")), ("repeat:7", ScenarioChoice(name: "repeat", count: 7)),
        ("repeat:keep-64", ScenarioChoice(name: "repeat", variant: "keep-64")),
        ("repeat:keep-64:1000000", ScenarioChoice(name: "repeat", variant: "keep-64", count: 1_000_000)),
        ("none", .none),
    ])
    func aTextIsReadAndWrittenAlike(text: String, choice: ScenarioChoice) throws {
        #expect(ScenarioChoice(text) == choice)
        #expect(choice.text == text)
        let stored = try JSONEncoder().encode([choice])
        #expect(String(decoding: stored, as: UTF8.self) == "[\"\(text)\"]")
        #expect(try JSONDecoder().decode([ScenarioChoice].self, from: stored) == [choice])
    }

    @Test(arguments: [
        "", ":", "repeat:", ":5", "repeat:0", "repeat:1000001", "repeat:5:keep", "repeat:keep:5:6", "Repeat", "5",
        "repeat keep", "repeat:99999999999999999999", "-repeat",
    ])
    func invalidScenariosAreNone(text: String) { #expect(ScenarioChoice(text) == nil) }

    @Test(arguments: [
        ("repaet", "Did you mean 'repeat'?"), ("repeat:keep-46", "Did you mean 'keep-64'?"),
        ("resume:5", "resume takes no count"), ("none:5", "no variant or count"),
    ])
    func unknownScenariosAreRefusedWithTheChoices(text: String, words: String) throws {
        let choice = try #require(ScenarioChoice(text))
        let mistake = try #require(throws: FetchBenchError.self) {
            try choice.check(among: Self.declared)
        }
        #expect("\(mistake)".contains(words))
    }

    @Test(arguments: ["none", "repeat", "repeat:keep-64:5", "resume:changed"])
    func validScenariosPass(text: String) throws {
        try #require(ScenarioChoice(text)).check(among: Self.declared)
    }

    /// The reason why a mode cannot play a scenario with the hero, or `nil` where it can.
    private static func obstacle(
        _ text: String, abilities: Set<ModeAbility> = [], yieldsBody: Bool = true, render: String = "none",
        asset: Asset = .hero, start: TrialStart = .warm, showsItself: Bool = false,
        onCancel: Cancellation.Conduct = .runsOn, scenarios: [ScenarioDeclaration] = declared,
        _ change: (inout FetchConditions) -> Void = { _ in }
    ) throws -> String? {
        var conditions = FetchConditions.standard
        conditions.scenario = try #require(ScenarioChoice(text))
        conditions.start = start
        change(&conditions)
        let mode = FakeMode(
            name: "fake", yieldsBody: yieldsBody, abilities: abilities, showsItself: showsItself, onCancel: onCancel)
        let plan = Plan.synthetic(
            assets: [asset], planned: [PlannedMode(ModeDeclaration(mode), scenarios: scenarios)], allocators: [.glibc],
            conditions: [conditions])
        return plan.inapplicable.first { $0.cell.mode == "fake" && $0.cell.render == render }?.reason
    }

    @Test func aModeThatLacksWhatAScenarioTakesIsNotApplicable() throws {
        #expect(try Self.obstacle("repeat") == nil)
        #expect(try Self.obstacle("repeat", render: "imageview") == nil)
        #expect(try Self.obstacle("resume", abilities: [.cancellation]) == nil)
        #expect(try Self.obstacle("resume")?.hasPrefix("mode fake runs on when it is cancelled, which resume") == true)
        let changed = try Self.obstacle("resume:changed")
        #expect(changed?.hasPrefix("mode fake does not decode gzip and runs on when it is cancelled, which") == true)
        #expect(changed?.hasSuffix("(gzip and cancellation)") == true)
        #expect(try Self.obstacle("list", onCancel: .hangs)?.hasPrefix("mode fake can hang or trap when") == true)
        #expect(try Self.obstacle("repeat", onCancel: .hangs) == nil)
        let bodiless = try Self.obstacle("resume", abilities: [.cancellation], yieldsBody: false)
        #expect(bodiless?.hasPrefix("mode fake yields no body, which scenario resume needs; ") == true)
        #expect(bodiless?.hasSuffix("yieldsBody") == true)
        #expect(
            try Self.obstacle("resume", abilities: [.cancellation], render: "imageview")
                == "scenario resume does its own rendering: use --render none")
        #expect(try Self.obstacle("list") == nil && Self.obstacle("repeat", showsItself: true) == nil)
        #expect(
            try Self.obstacle("list", showsItself: true)
                == "mode fake decodes pictures itself, which the loader of list has to do")
        #expect(try Self.obstacle("repeat", start: .cold) == "scenarios always warm up: --start cold does not apply")
    }

    /// The remedy depends on whose scenario it is.
    @Test func aProgramThatDoesNotPlayAScenarioIsToldHowToMakeIt() throws {
        #expect(
            try Self.obstacle("repeat", scenarios: [])
                == "the program of mode fake does not support scenario repeat: rebuild it with this version of TrialKit"
        )
        #expect(
            try Self.obstacle("resume", scenarios: [])
                == "the program of mode fake does not support scenario resume: a custom program supports it if a scenario of "
                + "that name is passed to TrialProgram.run(modes:scenarios:)")
        let refusal = try #require(throws: FetchBenchError.self) {
            try ScenarioChoice(name: "repeat").check(among: [])
        }
        #expect("\(refusal)".contains("no program here supports scenario repeat: rebuild it with"))
    }

    /// URLSession can trap when a task is cancelled whose session has a cache.
    @Test func onlyABareSessionIsCancelled() throws {
        let able: Set<ModeAbility> = [.cancellation, .sessionConfiguration]
        for kind in SessionKind.allCases {
            let session: (inout FetchConditions) -> Void = { $0.session = kind }
            #expect(try Self.obstacle("repeat", abilities: able, session) == nil)
            for name in ["resume", "list"] {
                let reason = try Self.obstacle(name, abilities: able, session)
                #expect(kind == .bare ? reason == nil : reason?.hasSuffix("use --session bare") == true)
            }
        }
    }

    @Test func aConditionThatIsIgnoredIsRefused() throws {
        let five: (inout FetchConditions) -> Void = { $0.concurrency = 5 }
        let able: Set<ModeAbility> = [.concurrency, .cancellation]
        #expect(try Self.obstacle("many", abilities: able, five) == nil)
        for name in ["many:single", "repeat", "resume"] {
            #expect(
                try Self.obstacle(name, abilities: able, five)
                    == "\(name) sets its own concurrency: use --concurrency 1")
            #expect(try Self.obstacle(name, abilities: able) == nil)
        }
        #expect(
            try Self.obstacle("resume", abilities: able) { $0.transfer = .chunked }
                == "scenario resume needs a Content-Length; transfer chunked has none")
        #expect(try Self.obstacle("repeat", abilities: able) { $0.transfer = .chunked } == nil)
    }

    /// Properties that an older program omits do not exclude anything.
    @Test func anOlderDeclarationIsUnderstood() throws {
        let needs = #"{"abilities":[],"body":true,"rendering":"none","set":false,"origin":false,"loader":false}"#
        let variant = #"{"name":"v","summary":"s","control":false,"abilities":[],"needs_origin":false}"#
        let read = try JSONDecoder().decode(ScenarioNeeds.self, from: Data(needs.utf8))
        #expect(read.concurrency && !read.length)
        #expect(try !JSONDecoder().decode(ScenarioVariant.self, from: Data(variant.utf8)).fetchesSingly)
        for declaration in Self.declared {
            let stored = try JSONEncoder().encode(declaration)
            #expect(try JSONDecoder().decode(ScenarioDeclaration.self, from: stored) == declaration)
        }
    }

    @Test func aForeignServerCannotBeToldHowToAnswer() throws {
        let foreign = Asset(name: "url", location: "http://example.org/", isEmbedded: false)
        let abilities: Set<ModeAbility> = [.cancellation, .gzip]
        #expect(try Self.obstacle("resume", abilities: abilities, asset: foreign) == nil)
        let reason = try Self.obstacle("resume:changed", abilities: abilities, asset: foreign)
        #expect(reason?.contains("cannot be combined with --url") == true)
    }

    @Test func aCommandPlaysNothing() {
        var conditions = FetchConditions.standard
        conditions.scenario = ScenarioChoice(name: "repeat")
        let plan = Plan.synthetic(
            planned: [PlannedMode(ExternalCommand(name: "curl", command: "curl {url}"))], conditions: [conditions])
        #expect(plan.inapplicable.first?.reason == "command curl fetches once, so --scenario does not apply")
    }

    @Test func aScenarioIsAskedForInAVersionThatKnowsIt() {
        var conditions = FetchConditions.standard
        conditions.scenario = ScenarioChoice(name: "repeat")
        #expect(conditions.documentVersion == 4)
        #expect(TrialRequest.understoodProtocols.contains(4))
    }
}
