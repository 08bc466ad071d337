import { type FormEvent, useEffect, useRef, useState } from 'react'
import { ApiError } from '../api/api-error.ts'

/** What is wrong, in words; `field` names the one that it is about. */
export interface Problem<Field extends string> {
  field?: Field | undefined
  words: string
}

interface Submission<Field extends string> {
  isBusy: boolean
  /** What is wrong with the whole, not with one field. */
  error: string | undefined
  /** What is wrong with a field. */
  problemOf(field: Field): string | undefined
  /** A form's `onSubmit`. Does nothing while busy. */
  onSubmit(event: FormEvent<HTMLFormElement>): void
  /** Called at each key: it answers what was said. */
  clearProblems(): void
}

/**
 * A form's submit state: busy, what is wrong, and where. The focus goes to the first field that is wrong.
 * @param options.check finds what needs no server to be told
 * @param options.work runs one call at a time; a failure's message is shown
 * @param options.fields which field an answer's code is about
 */
export function useSubmit<Field extends string>(options: {
  fallback: string
  check(): readonly Problem<Field>[]
  work(): Promise<void>
  fields?: Readonly<Record<string, Field>>
}): Submission<Field> {
  const { fallback, check, work, fields = {} } = options
  const [isBusy, setIsBusy] = useState(false)
  const [problems, setProblems] = useState<readonly Problem<Field>[]>([])
  const form = useRef<HTMLFormElement>(null)
  useEffect(() => {
    if (problems.length === 0) return
    form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus()
  }, [problems])

  async function submit() {
    setProblems([])
    const found = check()
    if (found.length > 0) return setProblems(found)
    setIsBusy(true)
    try {
      await work()
    } catch (cause) {
      const words = cause instanceof Error && cause.message ? cause.message : fallback
      const field = cause instanceof ApiError ? fields[cause.code] : undefined
      setProblems([{ field, words }])
    } finally {
      setIsBusy(false)
    }
  }

  return {
    isBusy,
    error: problems.find(({ field }) => field === undefined)?.words,
    problemOf: (wanted) => problems.find(({ field }) => field === wanted)?.words,
    onSubmit(event) {
      event.preventDefault()
      form.current = event.currentTarget
      if (!isBusy) void submit()
    },
    clearProblems: () => problems.length > 0 && setProblems([]),
  }
}
