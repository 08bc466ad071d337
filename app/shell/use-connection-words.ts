import { useLiveValue } from '../ui/use-live-value.ts'
import { type ConnectionWords, describeConnection } from './describe-connection.ts'
import { useMessenger } from './messenger-context.tsx'
import { usePatientWords } from './use-patient-words.ts'

/** What there is to say of the connection now, once it is time for it. */
export function useConnectionWords(): ConnectionWords | undefined {
  return usePatientWords(describeConnection(useLiveValue(useMessenger().connection)))
}
