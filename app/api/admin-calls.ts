import * as z from 'zod/mini'
import type { Caller } from './caller.ts'

const factorState = z.object({ hasSecondFactor: z.boolean(), isConfirmed: z.boolean() })
const factorBegun = z.object({ secret: z.string(), uri: z.string() })

export type AdminCalls = ReturnType<typeof createAdminCalls>

/** Administration, for accounts that are admins; for everybody else the server has nothing there. */
export function createAdminCalls(call: Caller) {
  const fallback = "Couldn't do this"
  return {
    /** @param given.action its words, as `petrel admin` has them: `people list` */
    run: <Answer extends z.ZodMiniType>(given: {
      action: string
      input?: Record<string, unknown>
      answer: Answer
    }): Promise<z.infer<Answer>> =>
      call({
        method: 'POST',
        path: `/admin/${given.action.replace(' ', '/')}`,
        body: given.input ?? {},
        answer: given.answer,
        fallback,
        // A message to everybody takes its time.
        timeoutMs: 120_000,
      }),
    readSecondFactor: (): Promise<z.infer<typeof factorState>> =>
      call({ path: '/admin/second-factor', answer: factorState, fallback }),
    /** For who has none. A code then confirms it. */
    beginSecondFactor: (): Promise<z.infer<typeof factorBegun>> =>
      call({ method: 'POST', path: '/admin/second-factor', answer: factorBegun, fallback }),
    async confirmSecondFactor(code: string): Promise<void> {
      await call({
        method: 'PUT',
        path: '/admin/second-factor',
        body: { code },
        answer: z.object({ isConfirmed: z.literal(true) }),
        fallback,
      })
    },
  }
}
