import * as z from 'zod/mini'
import { readPushSignIn } from '../record-signed-in.ts'

const signIn = z.object({ userId: z.string(), token: z.string() })
export type WorkerSignIn = z.infer<typeof signIn>

/** Whose messages this browser may fetch; undefined while nobody has notifications on. */
export async function readSignedIn(): Promise<WorkerSignIn | undefined> {
  const read = signIn.safeParse(await readPushSignIn().catch(() => undefined))
  return read.success ? read.data : undefined
}
