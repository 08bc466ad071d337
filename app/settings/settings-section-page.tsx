import type { Messenger } from '../sync/messenger-types.ts'
import { PetrelMark } from '../ui/icons/petrel-mark.tsx'
import { Page } from '../ui/layout/page.tsx'
import { productName, productVersion } from '../ui/product.ts'
import { AccountSection, type AccountSectionProps } from './account-section.tsx'
import { HelpSection } from './help-section.tsx'
import { LinkedDevicesLink } from './linked-devices-link.tsx'
import { NotificationsSection, type NotificationsSectionProps } from './notifications-section.tsx'
import { PrivacySection } from './privacy-section.tsx'
import { RadioChoice, type RadioChoiceProps } from './radio-choice.tsx'
import type { ReportSectionProps } from './report-section.tsx'
import { SecuritySection, type SecuritySectionProps } from './security-section.tsx'
import styles from './settings.module.css'
import { type SettingsSection, sectionWords } from './settings-sections.ts'
import { StorageSection, type StorageSectionProps } from './storage-section.tsx'

interface SettingsSectionPageProps
  extends AccountSectionProps,
    NotificationsSectionProps,
    ReportSectionProps,
    SecuritySectionProps,
    StorageSectionProps {
  section: SettingsSection
  /** How chats look and behave. */
  choices: readonly RadioChoiceProps[]
  messenger: Messenger
  onBack(): void
}

/** One section of the settings. */
export function SettingsSectionPage(props: SettingsSectionPageProps) {
  const { section, onBack } = props
  return (
    <Page title={sectionWords[section].name} backLabel="Back to settings" onBack={onBack}>
      <SectionBody {...props} />
    </Page>
  )
}

function SectionBody(props: SettingsSectionPageProps) {
  switch (props.section) {
    case 'account':
      return <AccountSection {...props} />
    case 'privacy':
      return <PrivacySection messenger={props.messenger} />
    case 'security':
      return (
        <>
          <LinkedDevicesLink />
          <SecuritySection signIns={props.signIns} />
        </>
      )
    case 'notifications':
      return <NotificationsSection {...props} />
    case 'storage':
      return <StorageSection {...props} />
    case 'chats':
      return props.choices.map((choice) => <RadioChoice key={choice.legend} {...choice} />)
    case 'help':
      return <HelpSection supportEmail={props.supportEmail} writeReport={props.writeReport} />
    case 'about':
      return <AboutSection />
  }
}

function AboutSection() {
  return (
    <section className={styles.about}>
      <PetrelMark size={96} />
      <h2>{productName}</h2>
      <p>Version {productVersion}</p>
      <p>© 2026 The {productName} authors. MIT licence.</p>
      <p>
        Emoji pictures: Twemoji © Twitter and contributors, CC&#8209;BY 4.0; Noto Emoji © Google,
        Apache License 2.0.
      </p>
      <a href="/emoji/licences.txt">Licences</a>
    </section>
  )
}
