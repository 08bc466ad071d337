import { useEffect, useState } from 'react'
import { wordsOf } from '../../schema/helpers/text.ts'
import { Button } from '../ui/buttons/button.tsx'
import { productName } from '../ui/product.ts'
import { copyText } from '../ui/text/copy-text.ts'
import keys from './encryption-section.module.css'
import settings from './settings.module.css'

type Reading = { fingerprint: string } | { problem: string } | undefined

/** Tells two builds of the app apart: whoever serves it could serve some people another one. */
export function FingerprintSection({ readFingerprint }: { readFingerprint(): Promise<string> }) {
  const [reading, setReading] = useState<Reading>()
  const [words, setWords] = useState('')
  const [tries, setTries] = useState(0)
  // biome-ignore lint/correctness/useExhaustiveDependencies: each try reads once more
  useEffect(() => {
    let isGone = false
    const show = (found: Reading) => isGone || setReading(found)
    readFingerprint().then(
      (fingerprint) => show({ fingerprint }),
      (cause: unknown) => show({ problem: wordsOf(cause) }),
    )
    return () => {
      isGone = true
    }
  }, [readFingerprint, tries])
  const again = () => {
    setReading(undefined)
    setTries(tries + 1)
  }
  const copy = async (fingerprint: string) => {
    setWords((await copyText(fingerprint)) ? 'Fingerprint copied' : "Couldn't copy it")
  }
  return (
    <section aria-labelledby="fingerprint" className={settings.later}>
      <h2 id="fingerprint" className={settings.heading}>
        App fingerprint
      </h2>
      <p className={settings.note}>
        Made from the files of {productName} on this device. Compare it with another device, or with
        the one that whoever built the app tells you. The same fingerprint means the same app; after
        an update it's another one.
      </p>
      {reading === undefined && <p role="status">Loading...</p>}
      {reading && 'problem' in reading && (
        <>
          <p className={settings.error} role="alert">
            {reading.problem}
          </p>
          <Button look="quiet" onClick={again}>
            Try again
          </Button>
        </>
      )}
      {reading && 'fingerprint' in reading && (
        <>
          {/* biome-ignore lint/a11y/useSemanticElements: a fieldset is for fields */}
          <p role="group" aria-label="App fingerprint" className={keys.key} translate="no">
            {reading.fingerprint.replace(/.{4}(?=.)/g, '$& ')}
          </p>
          <div className={keys.ways}>
            <Button look="quiet" onClick={() => void copy(reading.fingerprint)}>
              Copy
            </Button>
          </div>
          <p role="status" className={settings.note}>
            {words}
          </p>
        </>
      )}
    </section>
  )
}
