// SPDX-License-Identifier: Apache-2.0

import MemProbe
import Testing

extension LimitedCase {
    /// Runs one more process with the recorder, attaches the holders of its peak, and returns their table for the
    /// failure.
    func holders(_ trial: ChildTrial, plain: PeakGrowth?) async -> String {
        let recorder: RecorderFile
        do throws(RecorderFile.Missing) {
            recorder = try RecorderFile.find()
        } catch {
            return "The holders are unknown: \(error.reason)."
        }
        let result = await trial.run(.peak, recorder: recorder)
        do {
            let findings = try findings(result, plain: plain)
            Attachment.record(Array(findings.table.utf8), named: "holders.txt", sourceLocation: test.sourceLocation)
            Attachment.record(findings.pprof, named: "holders.pb.gz", sourceLocation: test.sourceLocation)
            return "Holders, from one more process with the recorder:\n" + findings.table
        } catch let fault as ChildFault {
            return "The holders are unknown: with the recorder the process \(fault.reason)."
        } catch let missing as HolderFindings.Missing {
            return "The holders are unknown: \(missing.reason)."
        } catch {
            return "The holders are unknown: \(error)."
        }
    }

    private func findings(_ result: ChildTrial.Result, plain: PeakGrowth?) throws -> HolderFindings {
        let answer = try result.answer.get()
        guard case .peak(let growth) = answer.reading, let recordings = result.recordings else {
            throw HolderFindings.Missing(reason: "the child answered something else")
        }
        return try HolderFindings(
            of: "\(test.id)", allocator: answer.allocator, recordings, recorded: growth, plain: plain)
    }
}
