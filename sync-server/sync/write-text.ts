import type { Response } from 'express'

/** Writes a piece of an answer; resolves when the connection takes more, or is gone. */
export async function writeText(response: Response, text: string): Promise<void> {
  if (response.write(text) || response.destroyed) return
  await new Promise<void>((resolve) => {
    const done = () => {
      response.off('drain', done).off('close', done)
      resolve()
    }
    response.on('drain', done).on('close', done)
  })
}
