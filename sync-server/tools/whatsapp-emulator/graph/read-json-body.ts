import * as z from 'zod/mini'
import { GraphFault } from '../wire/graph-fault.ts'

const anyObject = z.record(z.string(), z.unknown())

/** A JSON body's fields; none for an empty one. @throws GraphFault 100 */
export function readJsonBody(body: Buffer): Record<string, unknown> {
  if (body.length === 0) return {}
  try {
    return anyObject.parse(JSON.parse(body.toString('utf8')))
  } catch {
    throw new GraphFault(100, { details: 'The body is not valid JSON' })
  }
}
