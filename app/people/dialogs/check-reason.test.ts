import { expect, test } from 'vitest'
import { report } from '../../../schema/api/usage.ts'
import { checkReason } from '../risky-actions.tsx'

test.each(['', 'spam', '  spam  ', 'x'.repeat(3_000)])(
  '"%s" is no reason, in the words of the server',
  (reason) => {
    expect(checkReason(reason)).toBe(report.safeParse({ reason }).error?.issues[0]?.message)
    expect(checkReason(reason)).toMatch(/^Reason must be at (least|most) \d+ characters long$/)
  },
)

test('five characters are a reason', () => {
  expect(checkReason(' spam! ')).toBeUndefined()
})
