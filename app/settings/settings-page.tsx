import { Page } from '../ui/layout/page.tsx'
import { RadioChoice, type RadioChoiceProps } from './radio-choice.tsx'
import styles from './settings.module.css'
import { SettingsRow } from './settings-row.tsx'
import { sectionWords, settingsSections } from './settings-sections.ts'

interface SettingsPageProps {
  /** How chats look and behave. */
  choices: readonly RadioChoiceProps[]
  onBack(): void
}

/** The menu of the settings. */
export function SettingsPage({ onBack, choices }: SettingsPageProps) {
  return (
    <Page title="Settings" backLabel="Back to chats" onBack={onBack}>
      <nav aria-label="Settings">
        <ul className={styles.list}>
          {settingsSections.map((section) => {
            const { name, about, icon } = sectionWords[section]
            return (
              <li key={section}>
                <SettingsRow icon={icon} name={name} to={`/settings/${section}`}>
                  {about}
                </SettingsRow>
              </li>
            )
          })}
        </ul>
      </nav>
      {choices.map((choice) => (
        <RadioChoice key={choice.legend} {...choice} />
      ))}
    </Page>
  )
}
