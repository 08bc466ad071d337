import type { PetrelDatabase } from './open-database.ts'

/** What every command works on. `now`: the server's time as this device knows it, epoch ms. */
export interface CommandContext {
  userId: string
  database: PetrelDatabase
  now: () => number
}
