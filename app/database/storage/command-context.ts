import type { PetrelDatabase } from './open-database.ts'

/** Every command's context. `now`: the server's time as this device knows it, epoch ms. */
export interface CommandContext {
  userId: string
  database: PetrelDatabase
  now: () => number
}
