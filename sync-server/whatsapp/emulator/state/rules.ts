import * as z from 'zod/mini'

/** A fault that a test asks for: which calls it meets, how often, and what happens then. */
export const rule = z.strictObject({
  match: z.strictObject({
    /** Digits of the recipient. */
    to: z.optional(z.string()),
    type: z.optional(z.string()),
    /** Stands somewhere in the body of the request. */
    text: z.optional(z.string()),
    /** Such as `POST number/messages` or `GET media`. */
    endpoint: z.optional(z.string()),
  }),
  times: z._default(z.number().check(z.int(), z.gte(1)), 1),
  respond: z.strictObject({
    status: z.optional(z.number()),
    error: z.optional(
      z.strictObject({
        code: z.number(),
        details: z.optional(z.string()),
        isTransient: z.optional(z.boolean()),
      }),
    ),
    /** No answer at all; the connection is cut. */
    drop: z.optional(z.boolean()),
    /** The answer comes so much later, in the emulator's time. */
    delayMs: z.optional(z.number()),
    /** Taken, and failed by a webhook with this code. */
    asyncError: z.optional(z.number()),
  }),
})
export type Rule = z.infer<typeof rule>

export interface Matchable {
  endpoint: string
  to?: string
  type?: string
  text?: string
}

export type Rules = ReturnType<typeof createRules>

export function createRules() {
  const rules: Rule[] = []

  function fits({ match }: Rule, call: Matchable): boolean {
    return (
      (match.endpoint === undefined || match.endpoint === call.endpoint) &&
      (match.to === undefined || match.to === call.to) &&
      (match.type === undefined || match.type === call.type) &&
      (match.text === undefined || (call.text ?? '').includes(match.text))
    )
  }

  return {
    add: (one: Rule) => rules.push({ ...one }),

    /** The first rule that fits, used up by one. */
    take(call: Matchable): Rule['respond'] | undefined {
      const found = rules.find((one) => fits(one, call))
      if (!found) return undefined
      found.times -= 1
      if (found.times === 0) rules.splice(rules.indexOf(found), 1)
      return found.respond
    },

    reset() {
      rules.length = 0
    },
  }
}
