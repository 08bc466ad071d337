import { type Failure, findFailure, type HistoriesOptions } from '../kit/histories.ts'
import {
  allEqual,
  type Invariant,
  neverBackwards,
  nothingLost,
  nothingTwice,
  noUpdateLost,
} from '../kit/invariants.ts'
import { controlServer } from '../kit/lab.ts'
import {
  createPlantedServer,
  createPlantedStart,
  openPlantedNotes,
  type PlantedFault,
} from './planted-notes.ts'

type Notes = Awaited<ReturnType<typeof openPlantedNotes>>
type Options = HistoriesOptions<Notes>

/** What has to happen for it to show, and the invariant that it breaks. */
interface Plan {
  happens: readonly string[]
  breaks: Invariant
  /** It takes two things in the same moment, or is never quiet. */
  isRace?: boolean
  /** How often people do things, where it is not ten times each. */
  does?: Readonly<Record<string, number>>
}

const sameTitle = nothingTwice(({ title }: { title: string }) => title)
const plans: Record<PlantedFault, Plan> = {
  'ignores-status': { happens: ['refuse'], breaks: nothingLost },
  'sends-without-key': { happens: ['lose-answers'], breaks: sameTitle },
  // The same field of the same note, twice in a row.
  'applies-twice': {
    happens: ['reorder'],
    breaks: noUpdateLost,
    does: { add: 2, recolor: 0, rename: 14 },
  },
  'waits-in-memory': { happens: ['offline', 'online', 'reload'], breaks: nothingLost },
  // Who was offline gets more than nothing to cut.
  'trusts-half': {
    happens: ['cut-answers', 'offline', 'online'],
    breaks: nothingLost,
    does: { recolor: 0, rename: 0 },
  },
  'asks-from-now': { happens: ['offline', 'online'], breaks: nothingLost },
  'writes-whole': { happens: ['offline', 'online'], breaks: noUpdateLost },
  'trusts-clocks': { happens: ['clock'], breaks: noUpdateLost },
  'ignores-disk': { happens: ['disk-fails'], breaks: allEqual },
  'drops-early': { happens: ['delay', 'pause'], breaks: neverBackwards, isRace: true },
  // Nothing is quiet while the server is down.
  'stores-late': { happens: ['kill-server', 'start-server'], breaks: nothingLost, isRace: true },
}
export const plantedFaults = Object.keys(plans) as readonly PlantedFault[]

const allHappen = [
  ...new Set(Object.values(plans).flatMap(({ happens }) => happens)),
  'lose-requests',
  'duplicate',
]
const usual = [
  'cut-sockets',
  'pause',
  'refuse',
  'reorder',
  'delay',
  'duplicate',
  'lose-answers',
  'lose-requests',
  'cut-answers',
  'offline',
  'online',
  'kill-server',
  'start-server',
]

function weigh(happens: readonly string[], hasServer: boolean): Record<string, number> {
  const never = usual.filter((name) => hasServer || !name.endsWith('-server'))
  return {
    ...Object.fromEntries(never.map((name) => [name, 0])),
    ...Object.fromEntries(happens.map((name) => [name, 6])),
    add: 10,
    recolor: 10,
    rename: 10,
  }
}

const shared = {
  steps: 20,
  quietMs: 16,
  patienceMs: 150,
  actionMs: 20_000,
  actions: {
    add: (app, { id }) => app.add(id),
    recolor: (app, { id, pick }) => app.set('color', `recolored ${id}`, pick),
    rename: (app, { id, pick }) => app.set('title', `renamed ${id}`, pick),
  },
} satisfies Partial<Options>

/** Looks for a planted fault with what makes it show. */
export async function findPlanted(
  fault: PlantedFault,
  options: Pick<Options, 'seeds'> & Partial<Options>,
): Promise<Failure | undefined> {
  const { happens, breaks, isRace = false, does } = plans[fault]
  const hasServer = happens.includes('kill-server')
  return await findFailure({
    ...shared,
    ...(hasServer
      ? { server: await controlServer(createPlantedStart(fault)) }
      : { serve: () => createPlantedServer(fault) }),
    open: (world) => openPlantedNotes(world, fault),
    invariants: [breaks],
    weights: { ...weigh(happens, hasServer), ...does },
    settlesSteps: !isRace,
    ...options,
  })
}

/** Lets everything happen to the notes without a fault, and looks whether anything is broken all the same. */
export async function findFalseAlarm(
  options: Pick<Options, 'seeds'> & Partial<Options>,
): Promise<Failure | undefined> {
  return await findFailure({
    ...shared,
    server: await controlServer(createPlantedStart()),
    open: (world) => openPlantedNotes(world),
    invariants: [allEqual, nothingLost, noUpdateLost, neverBackwards, sameTitle],
    weights: weigh(allHappen, true),
    // Longer than any machine takes that is busy: what is kept costs nothing of it.
    patienceMs: 3_000,
    ...options,
  })
}
